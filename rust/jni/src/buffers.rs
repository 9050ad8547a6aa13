//! Direct `ByteBuffer`s over native memory. Ownership does not move here: a buffer shows memory that a batch owns.

use bytes::Bytes;
use doris_client::ErrorKind;
use jni::Env;
use jni::objects::JByteBuffer;

use crate::guard::Failure;

/// A direct buffer over the bytes, without a copy.
///
/// The bytes belong to a batch in [`crate::batch::BATCHES`]; they are freed when Java releases the batch's id. Java's
/// `IpcBatch` keeps the buffer to itself, drops it and all views of it at release, and never releases while a view is
/// reachable from elsewhere. Java only reads.
pub fn over<'l>(env: &mut Env<'l>, bytes: &Bytes) -> Result<JByteBuffer<'l>, Failure> {
    if i32::try_from(bytes.len()).is_err() {
        let text = format!(
            "a batch of {} bytes is larger than the 2 GiB that a Java buffer can show: lower doris.batch.size",
            bytes.len()
        );
        return Err(Failure::new(ErrorKind::Data, text));
    }
    // SAFETY: the pointer is not null and valid for `len` bytes as long as the batch lives (see above). The memory is
    // shared and must not be written: `IpcBatch` turns the buffer into a read-only one before it hands out anything.
    Ok(unsafe { env.new_direct_byte_buffer(bytes.as_ptr().cast_mut(), bytes.len())? })
}
