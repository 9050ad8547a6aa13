//! Exports over batches: a batch that Java holds owns itself, its share of the byte budget included.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use doris_arrow::binary_row::{BatchRows, RowFormat};
use doris_arrow::ipc::IpcBatch;
use doris_client::ErrorKind;
use doris_client::read::scan::ScanBatch;
use jni::EnvUnowned;
use jni::objects::{JByteArray, JByteBuffer, JClass, JIntArray};
use jni::sys::{jboolean, jint, jlong};

use crate::guard::Failure;
use crate::handle::{Kind, Table};
use crate::{buffers, convert, guard};

/// The batches that Java holds. They do not depend on their scan: Flink may close the reader and still emit rows.
pub static BATCHES: Table<HeldBatch> = Table::new(Kind::Batch);

/// A batch that Java holds: the bytes, and the share of a byte budget that goes back with them.
pub struct HeldBatch {
    ipc: IpcBatch,
    format: Option<Arc<RowFormat>>,
    rows: Mutex<BinaryRows>,
    /// Only kept: what it counts goes back when it is dropped.
    scanned: Option<ScanBatch>,
}

/// What was made of a batch to write its rows in Flink's format, and the memory that they are written in.
#[derive(Default)]
struct BinaryRows {
    rows: Option<BatchRows>,
    block: Vec<u8>,
}

impl HeldBatch {
    /// A batch of a scan that produces rows of this format, if they can be written in it.
    pub fn of_scan(batch: ScanBatch, format: Option<Arc<RowFormat>>) -> Self {
        let mut held = Self::new(batch.ipc.clone(), format);
        held.scanned = Some(batch);
        held
    }

    /// A batch that no scan has read and no budget counts.
    pub fn new(ipc: IpcBatch, format: Option<Arc<RowFormat>>) -> Self {
        Self {
            ipc,
            format,
            rows: Mutex::default(),
            scanned: None,
        }
    }

    /// Hands on where rows end.
    fn row_ends<R>(&self, take: impl FnOnce(&[i32]) -> Result<R, Failure>) -> Result<R, Failure> {
        let format = self.format.as_ref().ok_or_else(|| {
            Failure::new(
                ErrorKind::Internal,
                "rows of this batch are not written in Flink's format",
            )
        })?;
        let rows = format.rows(&self.ipc).map_err(doris_client::Error::from)?;
        let ends = take(rows.ends())?;
        self.binary_rows().rows = Some(rows);
        Ok(ends)
    }

    /// Hands the bytes of some rows on.
    fn encode<R>(
        &self,
        first: jint,
        count: jint,
        take: impl FnOnce(&[u8]) -> Result<R, Failure>,
    ) -> Result<R, Failure> {
        let mut binary = self.binary_rows();
        let BinaryRows { rows, block } = &mut *binary;
        let rows = rows
            .as_ref()
            .ok_or_else(|| Failure::new(ErrorKind::Internal, "batchRowEnds comes first"))?;
        // What is negative, is beyond every batch.
        let [first, count] = [first, count].map(|number| usize::try_from(number).unwrap_or(usize::MAX));
        rows.encode(first..first.saturating_add(count), block)
            .map_err(doris_client::Error::from)?;
        take(block)
    }

    fn binary_rows(&self) -> MutexGuard<'_, BinaryRows> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// `long batchRows(long batch)`
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_apache_doris_flink_jni_Native_batchRows<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
    batch: jlong,
) -> jlong {
    guard::call(&mut env, |_| {
        BATCHES.with(batch, |batch| Ok(convert::long(batch.ipc.rows as u64)))
    })
}

/// `ByteBuffer batchHeader(long batch)`: valid until the batch is released.
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_apache_doris_flink_jni_Native_batchHeader<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
    batch: jlong,
) -> JByteBuffer<'l> {
    guard::call(&mut env, |env| {
        BATCHES.with(batch, |batch| buffers::over(env, &batch.ipc.header))
    })
}

/// `ByteBuffer batchBody(long batch)`: valid until the batch is released.
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_apache_doris_flink_jni_Native_batchBody<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
    batch: jlong,
) -> JByteBuffer<'l> {
    guard::call(&mut env, |env| {
        BATCHES.with(batch, |batch| buffers::over(env, &batch.ipc.body))
    })
}

/// `int[] batchRowEnds(long batch)`: where each row ends in Flink's binary format, in bytes from the start of the
/// first.
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_apache_doris_flink_jni_Native_batchRowEnds<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
    batch: jlong,
) -> JIntArray<'l> {
    guard::call(&mut env, |env| {
        BATCHES.with(batch, |batch| batch.row_ends(|ends| convert::to_ints(env, ends)))
    })
}

/// `byte[] batchEncode(long batch, int first, int count)`: rows in Flink's binary format, one after the other.
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_apache_doris_flink_jni_Native_batchEncode<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
    batch: jlong,
    first: jint,
    count: jint,
) -> JByteArray<'l> {
    guard::call(&mut env, |env| {
        BATCHES.with(batch, |batch| {
            batch.encode(first, count, |bytes| convert::to_bytes(env, bytes))
        })
    })
}

/// `boolean batchRelease(long batch)`: whether this call freed it; a stale id is no error.
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_apache_doris_flink_jni_Native_batchRelease<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
    batch: jlong,
) -> jboolean {
    guard::call(&mut env, |_| Ok(BATCHES.remove(batch).is_some()))
}
