//! Exports over batches: a batch that Java holds owns itself, its share of the byte budget included.

use doris_arrow::ipc::IpcBatch;
use doris_client::scan::ScanBatch;
use jni::EnvUnowned;
use jni::objects::{JByteBuffer, JClass};
use jni::sys::{jboolean, jlong};

use crate::handle::{Kind, Table};
use crate::{buffers, convert, guard};

/// The batches that Java holds. They do not depend on their scan: Flink may close the reader and still emit rows.
pub static BATCHES: Table<HeldBatch> = Table::new(Kind::Batch);

/// A batch that Java holds: the bytes, and the share of a byte budget that goes back with them.
pub struct HeldBatch {
    ipc: IpcBatch,
    _scanned: Option<ScanBatch>,
}

impl From<ScanBatch> for HeldBatch {
    fn from(batch: ScanBatch) -> Self {
        Self {
            ipc: batch.ipc.clone(),
            _scanned: Some(batch),
        }
    }
}

/// A batch that no scan has read and no budget counts.
impl From<IpcBatch> for HeldBatch {
    fn from(ipc: IpcBatch) -> Self {
        Self { ipc, _scanned: None }
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

/// `boolean batchRelease(long batch)`: whether this call freed it; a stale id is no error.
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_apache_doris_flink_jni_Native_batchRelease<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
    batch: jlong,
) -> jboolean {
    guard::call(&mut env, |_| Ok(BATCHES.remove(batch).is_some()))
}
