//! The guard around every export: an error becomes a `NativeException`, and so does a panic, with its text and trace.

use std::any::Any;
use std::backtrace::Backtrace;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use doris_client::ErrorKind;
use jni::errors::{Error as JniError, ErrorPolicy, Result as JniResult};
use jni::objects::{JObject, JThrowable, JValue};
use jni::{Env, EnvUnowned, jni_sig, jni_str};

use crate::log;

/// What an export ends with when it does not succeed; it becomes one `NativeException`.
#[derive(Clone, Debug)]
pub struct Failure {
    kind: ErrorKind,
    retryable: bool,
    message: String,
}

impl Failure {
    /// A failure that is not worth trying again.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            retryable: false,
            message: message.into(),
        }
    }

    /// The text for the user.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What went wrong.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Whether this is a fault of this library that ended in a panic.
    pub fn is_panic(&self) -> bool {
        self.kind == ErrorKind::Panic
    }
}

impl From<doris_client::Error> for Failure {
    fn from(error: doris_client::Error) -> Self {
        Self {
            kind: error.kind(),
            retryable: error.is_retryable(),
            message: error.to_string(),
        }
    }
}

impl From<JniError> for Failure {
    fn from(error: JniError) -> Self {
        Self::new(
            ErrorKind::Internal,
            format!("a call into the JVM failed: {error}"),
        )
    }
}

/// Runs the body of an export. A failure or panic leaves an exception pending in the JVM and returns the default
/// value, which Java then never sees.
pub fn call<'l, R: Default>(
    env: &mut EnvUnowned<'l>,
    body: impl FnOnce(&mut Env<'l>) -> Result<R, Failure>,
) -> R {
    env.with_env(body).resolve::<Throw>()
}

/// The text of a panic.
pub fn payload_text(payload: &(dyn Any + Send)) -> String {
    if let Some(text) = payload.downcast_ref::<&'static str>() {
        (*text).to_owned()
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text.clone()
    } else {
        "a panic without text".to_owned()
    }
}

struct Throw;

impl<T: Default> ErrorPolicy<T, Failure> for Throw {
    type Captures<'u: 'n, 'n> = ();

    fn on_error<'u: 'n, 'n>(env: &mut Env<'u>, _: &mut (), failure: Failure) -> JniResult<T> {
        // An exception that a JNI call left pending (out of memory) is more precise than ours.
        if !env.exception_check() {
            let trace = if failure.is_panic() {
                trace_of(&failure.message)
            } else {
                String::new()
            };
            throw(env, &failure, &trace);
        }
        Ok(T::default())
    }

    fn on_panic<'u: 'n, 'n>(env: &mut Env<'u>, _: &mut (), payload: Box<dyn Any + Send>) -> JniResult<T> {
        if env.exception_check() {
            env.exception_clear();
        }
        let text = payload_text(&*payload);
        // Dropping a payload may panic again.
        std::mem::forget(payload);
        let trace = trace_of(&text);
        let message = format!("fault in the native library (panic): {text}");
        throw(env, &Failure::new(ErrorKind::Panic, message), &trace);
        Ok(T::default())
    }
}

/// Leaves an exception pending in any case: the real one, or an `Error` that it could not be made.
fn throw(env: &mut Env<'_>, failure: &Failure, trace: &str) {
    if throw_native(env, failure, trace).is_err() && !env.exception_check() {
        let _ = env.throw_new(
            jni_str!("java/lang/InternalError"),
            jni_str!("a failure of the native library could not be turned into an exception"),
        );
    }
}

fn throw_native(env: &mut Env<'_>, failure: &Failure, trace: &str) -> JniResult<()> {
    // Looked up each time: a cached class would keep its class loader alive.
    let class = env.find_class(jni_str!("org/apache/doris/flink/error/NativeException"))?;
    let message = env.byte_array_from_slice(failure.message.as_bytes())?;
    let trace = env.byte_array_from_slice(trace.as_bytes())?;
    let (message, trace): (&JObject, &JObject) = (message.as_ref(), trace.as_ref());
    let exception = env.new_object(
        class,
        jni_sig!("(IZ[B[B)V"),
        &[
            JValue::Int(failure.kind as i32),
            JValue::Bool(failure.retryable),
            JValue::Object(message),
            JValue::Object(trace),
        ],
    )?;
    let exception = env.cast_local::<JThrowable>(exception)?;
    // "Fails" on success, since an exception is pending then.
    let _ = env.throw(&exception);
    Ok(())
}

/// The newest panics with their traces. A panic may happen on a thread of the runtime and reach Java as the error of
/// the task, so the text is what leads from one to the other.
static TRACES: Mutex<VecDeque<(String, String)>> = Mutex::new(VecDeque::new());
const TRACES_KEPT: usize = 8;

/// Records where a panic happened instead of writing to standard error. Belongs to this copy of the library: each has
/// its own standard library inside.
pub fn install_hook() {
    std::panic::set_hook(Box::new(|info| {
        let text = payload_text(info.payload());
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        log::push_panic(&format!("panic at {place}: {text}"));
        let trace = format!("at {place}\n{}", Backtrace::force_capture());
        let mut traces = TRACES.lock().unwrap_or_else(PoisonError::into_inner);
        if traces.len() == TRACES_KEPT {
            traces.pop_front();
        }
        traces.push_back((text, trace));
    }));
}

/// Takes the trace of the newest panic whose text is part of the message.
fn trace_of(message: &str) -> String {
    let mut traces = TRACES.lock().unwrap_or_else(PoisonError::into_inner);
    let found = traces
        .iter()
        .rposition(|(text, _)| message.contains(text.as_str()));
    found
        .and_then(|index| traces.remove(index))
        .map(|(_, trace)| trace)
        .unwrap_or_default()
}
