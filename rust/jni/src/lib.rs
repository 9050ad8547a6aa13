//! The native core of the Flink connector for Apache Doris, loaded through JNI: handles, bounded waits, errors and
//! panics as exceptions. The only crate with `unsafe`; it holds no policy, every export calls [`doris_client`] and
//! hands the result on.
//!
//! | Module | Holds |
//! |---|---|
//! | [`handle`] | numbers that stand for native objects, checked at every use |
//! | [`guard`] | errors and panics as `NativeException` |
//! | [`runtime`] | the tokio runtime, alive while somebody uses it |
//! | [`convert`], [`request`] | arrays in, arrays out; maps of text in them |
//! | [`buffers`] | direct `ByteBuffer`s over a batch, and over the ring of a load |
//! | [`task`] | work that is started, polled and read: plans and calls |
//! | [`scan`], [`plan`], [`batch`], [`sink`], [`load`], [`changelog`], [`call`], [`describe`] | the exports, one file per kind of handle |
//! | [`counters`], [`log`] | what the process holds; log records for Java |
//!
//! Threads: only threads of the JVM call in, and no native thread calls out. The Java side is
//! `org.apache.doris.flink.jni.Native`; `docs/boundary.md` draws who owns what.
#![warn(unsafe_op_in_unsafe_fn, clippy::undocumented_unsafe_blocks)]
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]

pub mod batch;
pub mod buffers;
pub mod call;
pub mod changelog;
pub mod classes;
pub mod convert;
pub mod counters;
pub mod describe;
pub mod guard;
pub mod handle;
pub mod load;
pub mod log;
pub mod plan;
pub mod request;
pub mod runtime;
pub mod scan;
pub mod sink;
pub mod task;

use std::ffi::c_void;
use std::panic::catch_unwind;
use std::sync::{Mutex, PoisonError};

use jni::EnvUnowned;
use jni::objects::{JByteArray, JClass};
use jni::sys::{JNI_VERSION_1_8, JavaVM, jint};

/// The number of this boundary. It changes with every incompatible change of the exports; Java refuses another one.
pub const ABI_VERSION: jint = 7;

/// Class loaders that have the library loaded. One file under several names is mapped once and shared by all of them,
/// with its statics.
static LOADERS: Mutex<usize> = Mutex::new(0);

/// Called by the JVM right after loading, for each class loader: this copy's panic hook and log subscriber, nothing
/// that other copies of the library in the same process would see.
#[unsafe(no_mangle)]
pub extern "system" fn JNI_OnLoad(_vm: *mut JavaVM, _reserved: *mut c_void) -> jint {
    // A failure here leaves panics without traces or logs without records; both are no reason to refuse to work.
    let _ = catch_unwind(|| {
        let mut loaders = LOADERS.lock().unwrap_or_else(PoisonError::into_inner);
        *loaders += 1;
        guard::install_hook();
        log::install();
    });
    JNI_VERSION_1_8
}

/// Called by the JVM when a class loader is collected. The last net, when it was the last one: frees what was never
/// closed and stops the runtime, within a bound. Until then others may be using both; what one of them never closed,
/// Java's cleaner does.
#[unsafe(no_mangle)]
pub extern "system" fn JNI_OnUnload(_vm: *mut JavaVM, _reserved: *mut c_void) {
    let _ = catch_unwind(|| {
        // Held to the end: a loader that comes now opens its handles afterwards.
        let mut loaders = LOADERS.lock().unwrap_or_else(PoisonError::into_inner);
        *loaders = loaders.saturating_sub(1);
        if *loaders > 0 {
            return;
        }
        scan::SCANS.clear();
        plan::PLANS.clear();
        batch::BATCHES.clear();
        sink::SINKS.clear();
        load::LOADS.clear();
        changelog::CHANGELOGS.clear();
        call::CALLS.clear();
        runtime::shutdown();
    });
}

/// `int abiVersion()`: the first call of Java after loading.
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_apache_doris_flink_jni_Native_abiVersion<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
) -> jint {
    guard::call(&mut env, |env| {
        classes::look_up_all(env);
        Ok(ABI_VERSION)
    })
}

/// `byte[] version()`: the crate's version, UTF-8.
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_apache_doris_flink_jni_Native_version<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
) -> JByteArray<'l> {
    guard::call(&mut env, |env| {
        convert::to_bytes(env, env!("CARGO_PKG_VERSION").as_bytes())
    })
}
