//! Direct `ByteBuffer`s over native memory. A `ByteBuffer` owns nothing. Where ownership moves, when reading:
//! `scanTake` makes a batch Java's, `batchRelease` frees it. When writing the memory is Rust's all the time;
//! `loadAcquire` lends it to one thread of Java, `loadSubmit` and `loadReturn` take it back.

use bytes::Bytes;
use doris_client::ErrorKind;
use doris_client::write::load::Buffer;
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
    // shared and must not be written: `IpcBatch` turns the buffer into a read-only one before it returns anything.
    Ok(unsafe { env.new_direct_byte_buffer(bytes.as_ptr().cast_mut(), bytes.len())? })
}

/// A direct buffer over a place in a load's ring, to be filled by Java.
///
/// The memory stays where it is while the buffer is lent: [`crate::load::OpenLoad`] keeps the owner
/// and does not look at the bytes until Java has submitted or returned the buffer. Java's `NativeLoad` does neither
/// while another of its threads may be writing.
pub fn lend<'l>(env: &mut Env<'l>, buffer: &mut Buffer) -> Result<JByteBuffer<'l>, Failure> {
    let bytes = buffer.as_mut_slice();
    // SAFETY: the pointer comes from a slice, so it is not null and valid for reads and writes of `len` bytes; the
    // memory lives and has no other user until the buffer comes back (see above).
    Ok(unsafe { env.new_direct_byte_buffer(bytes.as_mut_ptr(), bytes.len())? })
}
