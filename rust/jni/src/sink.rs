//! Exports over sinks: what one writer or committer works with. Closing one ends its loads and calls.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use doris_client::ErrorKind;
use doris_client::write::config::WriteConfig;
use doris_client::write::load::LoadSpec;
use doris_client::write::sink::Sink;
use jni::EnvUnowned;
use jni::objects::{JByteArray, JClass, JLongArray};
use jni::sys::jlong;
use tokio_util::sync::CancellationToken;

use crate::call::{self, OpenCall};
use crate::convert;
use crate::guard::{self, Failure};
use crate::handle::{Kind, Table};
use crate::load::{self, OpenLoad, Rows};
use crate::request::{self, Request};
use crate::runtime::Lease;

/// The open sinks.
pub static SINKS: Table<OpenSink> = Table::new(Kind::Sink);

/// A sink and what has to end with it.
pub struct OpenSink {
    sink: Sink,
    worker_threads: usize,
    batch: bool,
    /// Those that are open, and some that are gone.
    loads: Mutex<Vec<Weak<Rows>>>,
    /// The parent of what loads and calls wait for.
    closed: CancellationToken,
    // Last, so that the runtime outlives what runs on it.
    lease: Lease,
}

impl OpenSink {
    /// Parses the configuration and takes a share in the runtime. No I/O.
    pub fn open(config: &[u8]) -> Result<Self, Failure> {
        let config = Arc::new(WriteConfig::decode(config)?);
        let worker_threads = config.worker_threads();
        let batch = config.is_batch();
        let lease = Lease::new(worker_threads)?;
        let inside = lease.handle().enter();
        let sink = Sink::new(config)?;
        drop(inside);
        Ok(Self {
            sink,
            worker_threads,
            batch,
            loads: Mutex::default(),
            closed: CancellationToken::new(),
            lease,
        })
    }

    /// Opens a load, in batch mode the loads of a table; they end with this sink at the latest. No I/O.
    pub fn open_load(&self, spec: LoadSpec) -> Result<OpenLoad, Failure> {
        let lease = Lease::new(self.worker_threads)?;
        let inside = lease.handle().enter();
        let load = Arc::new(if self.batch {
            Rows::Stream(self.sink.open_stream(spec)?)
        } else {
            Rows::Load(self.sink.open_load(spec)?)
        });
        drop(inside);
        let mut loads = self.loads.lock().unwrap_or_else(PoisonError::into_inner);
        if loads.len() == loads.capacity() {
            loads.retain(|load| load.strong_count() > 0);
        }
        loads.push(Arc::downgrade(&load));
        drop(loads);
        // A close either has seen the load in the list or is seen here.
        self.check_open()?;
        Ok(OpenLoad::new(load, self.closed.child_token(), lease))
    }

    fn start_call(&self, request: Request) -> Result<OpenCall, Failure> {
        self.check_open()?;
        let lease = Lease::new(self.worker_threads)?;
        call::start(self.sink.clone(), request, self.closed.child_token(), lease)
    }

    fn check_open(&self) -> Result<(), Failure> {
        if self.closed.is_cancelled() {
            return Err(Failure::new(ErrorKind::Closed, "the sink was closed"));
        }
        Ok(())
    }

    fn close(&self) {
        self.closed.cancel();
        let loads = std::mem::take(&mut *self.loads.lock().unwrap_or_else(PoisonError::into_inner));
        let _inside = self.lease.handle().enter();
        for load in loads.iter().filter_map(Weak::upgrade) {
            load.close();
        }
    }
}

/// `long sinkOpen(byte[] config)`
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_apache_doris_flink_jni_Native_sinkOpen<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
    config: JByteArray<'l>,
) -> jlong {
    guard::call(&mut env, |env| {
        SINKS.insert(OpenSink::open(&convert::bytes(env, &config)?)?)
    })
}

/// `long[] sinkMetrics(long sink)`
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_apache_doris_flink_jni_Native_sinkMetrics<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
    sink: jlong,
) -> JLongArray<'l> {
    guard::call(&mut env, |env| {
        let metrics = SINKS.with(sink, |sink| Ok(sink.sink.metrics()))?;
        convert::to_longs(env, &metrics.numbers().map(convert::long))
    })
}

/// `void sinkClose(long sink)`: any thread, any time, as often as one likes; loads and calls in flight end with
/// CLOSED.
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_apache_doris_flink_jni_Native_sinkClose<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
    sink: jlong,
) {
    guard::call(&mut env, |_| {
        if let Some(sink) = SINKS.remove(sink) {
            sink.close();
        }
        Ok(())
    })
}

/// `long loadOpen(long sink, byte[] spec)`
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_apache_doris_flink_jni_Native_loadOpen<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
    sink: jlong,
    spec: JByteArray<'l>,
) -> jlong {
    guard::call(&mut env, |env| {
        let spec = request::load_spec(&convert::bytes(env, &spec)?)?;
        SINKS.with(sink, |sink| load::LOADS.insert(sink.open_load(spec)?))
    })
}

/// `long callStart(long sink, byte[] request)`
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_apache_doris_flink_jni_Native_callStart<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
    sink: jlong,
    request: JByteArray<'l>,
) -> jlong {
    guard::call(&mut env, |env| {
        let request = Request::decode(&convert::bytes(env, &request)?)?;
        SINKS.with(sink, |sink| call::CALLS.insert(sink.start_call(request)?))
    })
}
