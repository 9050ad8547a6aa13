//! The boundary inside a real JVM with `-Xcheck:jni`: exceptions, panics, stale handles, bounded waits.
//!
//! The checks themselves are Java, `tests/java/…/BoundaryChecks.java`. The JVM runs in a process of its own, this test
//! binary started once more, so that its output can be read and a crash is a failed test. Needs a JDK: `JAVA_HOME`, or
//! `javac` on the path; without one the test says that it skips and why.

use std::ffi::c_void;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use doris_arrow::binary_row::{ChangeColumn, RowFormat};
use doris_arrow::ipc::IpcBatch;
use doris_client::ErrorKind;
use doris_client::read::plan::{ScanPlan, Tablet};
use doris_flink_native::batch::{BATCHES, HeldBatch};
use doris_flink_native::call::{CALLS, OpenCall};
use doris_flink_native::guard::{self, Failure};
use doris_flink_native::plan::{OpenPlan, PLANS};
use doris_flink_native::runtime::Lease;
use doris_flink_native::{JNI_OnLoad, JNI_OnUnload};
use jni::objects::JClass;
use jni::strings::JNIString;
use jni::sys::{jint, jlong};
use jni::{Env, EnvUnowned, InitArgsBuilder, JNIVersion, JavaVM, NativeMethod, jni_sig, jni_str};
use tokio_util::sync::CancellationToken;

const CLASSES: &str = "DORIS_TEST_CLASSES";
const NAME: &str = "the_boundary_holds_inside_a_jvm";

#[test]
fn the_boundary_holds_inside_a_jvm() {
    if let Some(classes) = std::env::var_os(CLASSES) {
        return inside(Path::new(&classes));
    }
    let Some(home) = java_home() else {
        println!("SKIPPED {NAME}: no JDK (set JAVA_HOME, or put javac on the path)");
        return;
    };
    let classes = compile(&home);
    let this = std::env::current_exe().unwrap();
    let output = Command::new(this)
        .args(["--exact", NAME, "--nocapture"])
        .env(CLASSES, &classes)
        .env("JAVA_HOME", &home)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "the JVM's process ended with {}:\n{text}",
        output.status
    );
    for complaint in [
        "FATAL ERROR in native method",
        "WARNING in native method",
        "WARNING: JNI",
    ] {
        assert!(!text.contains(complaint), "-Xcheck:jni complains:\n{text}");
    }
}

fn java_home() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).filter_map(|folder| {
        let javac = folder.join("javac").canonicalize().ok()?;
        Some(javac.parent()?.parent()?.to_path_buf())
    });
    let named = std::env::var_os("JAVA_HOME").map(PathBuf::from);
    named
        .into_iter()
        .chain(on_path)
        .find(|home| libjvm(home).exists() && home.join("bin/javac").exists())
}

fn libjvm(home: &Path) -> PathBuf {
    home.join("lib/server/libjvm.so")
}

/// The classes of the boundary that need nothing but the JDK, and the checks.
fn compile(home: &Path) -> PathBuf {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let package = "org/apache/doris/flink";
    let main = crate_folder.join("../../java/src/main/java").join(package);
    let checks = crate_folder.join("tests/java").join(package);
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("boundary-classes");
    let output = Command::new(home.join("bin/javac"))
        .args([
            "-encoding",
            "UTF-8",
            "--release",
            "11",
            "-implicit:none",
            "-proc:none",
            "-d",
        ])
        .arg(&out)
        .args(
            [
                "error/ErrorCode.java",
                "error/NativeException.java",
                "jni/Native.java",
                "jni/TextMap.java",
            ]
            .map(|file| main.join(file)),
        )
        .args(["jni/BoundaryChecks.java", "jni/WritingChecks.java"].map(|file| checks.join(file)))
        .arg(crate_folder.join("tests/java/org/apache/flink/annotation/Internal.java"))
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "javac: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    out
}

/// The configuration of a sink as the connector sends it.
const WRITE_DEFAULT: &str = include_str!("../../../tests/fixtures/config/write-default.properties");

fn inside(classes: &Path) {
    let home = PathBuf::from(std::env::var_os("JAVA_HOME").unwrap());
    let args = InitArgsBuilder::new()
        .version(JNIVersion::V1_8)
        .option("-Xcheck:jni")
        .option(format!("-Djava.class.path={}", classes.display()))
        .option(format!("-Ddoris.write-default={}", WRITE_DEFAULT))
        .build()
        .unwrap();
    let vm = JavaVM::with_libjvm(args, || Ok(libjvm(&home))).unwrap();
    assert!(JNI_OnLoad(vm.get_raw(), std::ptr::null_mut()) > 0);
    let result = vm.attach_current_thread(|env| -> jni::errors::Result<()> {
        bind(env)?;
        let checks = env.find_class(jni_str!("org/apache/doris/flink/jni/BoundaryChecks"))?;
        let ran = env.call_static_method(checks, jni_str!("run"), jni_sig!("()V"), &[]);
        if env.exception_check() {
            env.exception_describe();
            env.exception_clear();
        }
        ran.map(drop)
    });
    JNI_OnUnload(vm.get_raw(), std::ptr::null_mut());
    let _ = std::panic::take_hook();
    result.unwrap();
}

/// Binds the exports of the library, and those of this test, to the Java classes. A wrong name or signature fails here.
fn bind(env: &mut Env<'_>) -> jni::errors::Result<()> {
    use doris_flink_native::{
        batch::*, call::*, changelog::*, counters::*, describe::*, load::*, plan::*, scan::*, sink::*, *,
    };

    macro_rules! methods {
        ($($function:ident $signature:literal)*) => {
            [$((stringify!($function), $signature, $function as *mut c_void)),*]
        };
    }
    let library = methods! {
        Java_org_apache_doris_flink_jni_Native_abiVersion "()I"
        Java_org_apache_doris_flink_jni_Native_version "()[B"
        Java_org_apache_doris_flink_jni_Native_counters "()[J"
        Java_org_apache_doris_flink_jni_Native_drainLog "(I)[B"
        Java_org_apache_doris_flink_jni_Native_planStart "([BZ)J"
        Java_org_apache_doris_flink_jni_Native_describeStart "([B)J"
        Java_org_apache_doris_flink_jni_Native_planPoll "(JI)I"
        Java_org_apache_doris_flink_jni_Native_planResult "(J)[B"
        Java_org_apache_doris_flink_jni_Native_planClose "(J)V"
        Java_org_apache_doris_flink_jni_Native_scanOpen "([B)J"
        Java_org_apache_doris_flink_jni_Native_scanStart "(J[JJZ)V"
        Java_org_apache_doris_flink_jni_Native_scanStartWindow "(J[B)V"
        Java_org_apache_doris_flink_jni_Native_scanPoll "(JI)I"
        Java_org_apache_doris_flink_jni_Native_scanTake "(J)J"
        Java_org_apache_doris_flink_jni_Native_scanWake "(J)V"
        Java_org_apache_doris_flink_jni_Native_scanMetrics "(J)[J"
        Java_org_apache_doris_flink_jni_Native_scanClose "(J)V"
        Java_org_apache_doris_flink_jni_Native_batchRows "(J)J"
        Java_org_apache_doris_flink_jni_Native_batchHeader "(J)Ljava/nio/ByteBuffer;"
        Java_org_apache_doris_flink_jni_Native_batchBody "(J)Ljava/nio/ByteBuffer;"
        Java_org_apache_doris_flink_jni_Native_batchRowEnds "(J)[I"
        Java_org_apache_doris_flink_jni_Native_batchEncode "(JII)[B"
        Java_org_apache_doris_flink_jni_Native_batchRelease "(J)Z"
        Java_org_apache_doris_flink_jni_Native_sinkOpen "([B)J"
        Java_org_apache_doris_flink_jni_Native_sinkMetrics "(J)[J"
        Java_org_apache_doris_flink_jni_Native_sinkClose "(J)V"
        Java_org_apache_doris_flink_jni_Native_callStart "(J[B)J"
        Java_org_apache_doris_flink_jni_Native_callPoll "(JI)I"
        Java_org_apache_doris_flink_jni_Native_callResult "(J)[B"
        Java_org_apache_doris_flink_jni_Native_callClose "(J)V"
        Java_org_apache_doris_flink_jni_Native_changelogOpen "([B)J"
        Java_org_apache_doris_flink_jni_Native_changelogCall "(J[B)J"
        Java_org_apache_doris_flink_jni_Native_changelogClose "(J)V"
        Java_org_apache_doris_flink_jni_Native_loadOpen "(J[B)J"
        Java_org_apache_doris_flink_jni_Native_loadAcquire "(JJI)Ljava/nio/ByteBuffer;"
        Java_org_apache_doris_flink_jni_Native_loadSubmit "(JJ[J)V"
        Java_org_apache_doris_flink_jni_Native_loadReturn "(J)V"
        Java_org_apache_doris_flink_jni_Native_loadFinish "(J)V"
        Java_org_apache_doris_flink_jni_Native_loadPoll "(JI)I"
        Java_org_apache_doris_flink_jni_Native_loadResult "(J)[B"
        Java_org_apache_doris_flink_jni_Native_loadEnded "(J)[B"
        Java_org_apache_doris_flink_jni_Native_loadClose "(J)V"
    };
    let hooks = methods! {
        panic "(I)I"
        fail "()I"
        panicking_plan "()J"
        endless_plan "()J"
        ready_plan "()J"
        lend_batch "(I)J"
        lend_rows "(I)J"
        log "()V"
    };
    register(env, "org/apache/doris/flink/jni/Native", &library)?;
    let writing_hooks = methods! {
        silent_server "()I"
        panicking_call "()J"
    };
    register(env, "org/apache/doris/flink/jni/BoundaryChecks", &hooks)?;
    register(env, "org/apache/doris/flink/jni/WritingChecks", &writing_hooks)
}

fn register(
    env: &mut Env<'_>,
    class: &str,
    methods: &[(&str, &str, *mut c_void)],
) -> jni::errors::Result<()> {
    let class = env.find_class(JNIString::from(class))?;
    for &(function, signature, address) in methods {
        // Exports carry package and class before the name; hooks are named as Rust likes it.
        let name = match function.strip_prefix("Java_org_apache_doris_flink_jni_Native_") {
            Some(name) => name.to_owned(),
            None => camel_case(function),
        };
        let (name, signature) = (JNIString::from(name), JNIString::from(signature));
        // SAFETY: the addresses are those of functions that take the environment, the class and what the signature
        // says; all of the Java methods are static.
        unsafe {
            let method = NativeMethod::from_raw_parts(&name, &signature, address);
            env.register_native_methods(&class, &[method])?;
        }
    }
    Ok(())
}

fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| name + &word[..1].to_uppercase() + &word[1..])
}

extern "system" fn panic<'l>(mut env: EnvUnowned<'l>, _class: JClass<'l>, how: jint) -> jint {
    guard::call(&mut env, |_| match how {
        0 => panic!("a plain text"),
        1 => panic!("number {}", 41 + how),
        2 => Ok(Vec::new()[how as usize]),
        _ => std::panic::panic_any(how),
    })
}

extern "system" fn fail<'l>(mut env: EnvUnowned<'l>, _class: JClass<'l>) -> jint {
    let error = doris_client::Error::new(ErrorKind::Config, "Doris said no: é世界😀\0").retryable();
    guard::call(&mut env, |_| Err(Failure::from(error)))
}

extern "system" fn panicking_plan<'l>(env: EnvUnowned<'l>, class: JClass<'l>) -> jlong {
    open(env, class, async { panic!("boom {}", 7) })
}

extern "system" fn endless_plan<'l>(env: EnvUnowned<'l>, class: JClass<'l>) -> jlong {
    open(env, class, std::future::pending())
}

extern "system" fn ready_plan<'l>(env: EnvUnowned<'l>, class: JClass<'l>) -> jlong {
    let tablets = vec![Tablet {
        id: 5,
        backends: vec!["be:1".into()],
    }];
    open(env, class, async {
        Ok(ScanPlan {
            has_tablets: true,
            tablets,
            warnings: Vec::new(),
        })
    })
}

fn open<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
    planning: impl Future<Output = Result<ScanPlan, doris_client::Error>> + Send + 'static,
) -> jlong {
    guard::call(&mut env, |_| {
        let cancel = CancellationToken::new();
        PLANS.insert(OpenPlan::run(
            "plan",
            Lease::new(2)?,
            cancel,
            |cancel| async move {
                tokio::select! {
                    planned = planning => planned,
                    () = cancel.cancelled() => Err(doris_client::Error::new(ErrorKind::Closed, "closed")),
                }
            },
        ))
    })
}

/// A server that takes connections, reads whatever comes and never answers; lives as long as the process.
extern "system" fn silent_server<'l>(mut env: EnvUnowned<'l>, _class: JClass<'l>) -> jint {
    guard::call(&mut env, |_| {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                let mut connection = connection.unwrap();
                std::thread::spawn(move || std::io::copy(&mut connection, &mut std::io::sink()));
            }
        });
        Ok(jint::from(port))
    })
}

extern "system" fn panicking_call<'l>(mut env: EnvUnowned<'l>, _class: JClass<'l>) -> jlong {
    guard::call(&mut env, |_| {
        let cancel = CancellationToken::new();
        CALLS.insert(OpenCall::run("call", Lease::new(2)?, cancel, |_| async {
            panic!("boom {}", 8)
        }))
    })
}

extern "system" fn lend_batch<'l>(mut env: EnvUnowned<'l>, _class: JClass<'l>, body: jint) -> jlong {
    let ipc = IpcBatch {
        header: vec![1, 2, 3].into(),
        body: (0..body).map(|n| n as u8).collect::<Vec<u8>>().into(),
        rows: 5,
    };
    guard::call(&mut env, |_| BATCHES.insert(HeldBatch::new(ipc, None)))
}

/// Rows of one field, which is NULL in the content.
extern "system" fn lend_rows<'l>(mut env: EnvUnowned<'l>, _class: JClass<'l>, rows: jint) -> jlong {
    let format = RowFormat::new(&[], &[ChangeColumn::Op]).map(Arc::new);
    let ipc = doris_arrow::ipc::empty(rows as usize);
    guard::call(&mut env, |_| BATCHES.insert(HeldBatch::new(ipc, format)))
}

extern "system" fn log<'l>(mut env: EnvUnowned<'l>, _class: JClass<'l>) {
    guard::call(&mut env, |_| {
        tracing::warn!(target: "doris_test", n = 3, "ring 😀");
        Ok(())
    })
}
