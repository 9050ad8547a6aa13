//! Classes of the JDK that the `jni` crate names in its own calls.
//!
//! It looks each one up at first use through the context class loader of the calling thread and then keeps it. A task
//! that outlives its job has a closed one, which throws; finding out what was thrown needs such a class again, and so
//! on until the stack is used up and the JVM with it. So all of them are looked up when the library is loaded, while
//! the loader is in order. They belong to the boot class loader: keeping them keeps no other loader alive.

use jni::Env;
use jni::exceptions::{
    JArrayIndexOutOfBoundsException, JArrayStoreException, JClassCircularityError, JClassFormatError,
    JClassNotFoundException, JExceptionInInitializerError, JIllegalArgumentException,
    JIllegalMonitorStateException, JInstantiationException, JLinkageError, JNoClassDefFoundError,
    JNoSuchFieldError, JNoSuchMethodError, JNumberFormatException, JOutOfMemoryError, JRuntimeException,
    JSecurityException, JStringIndexOutOfBoundsException,
};
use jni::objects::{
    JByteBuffer, JClass, JClassLoader, JObject, JStackTraceElement, JString, JThread, JThrowable,
};
use jni::refs::{LoaderContext, Reference};

macro_rules! look_up {
    ($env:expr, $($class:ident),+ $(,)?) => {
        // One that is not found is searched again when it is needed.
        $( let _ = $class::lookup_class($env, &LoaderContext::None).map(|_| ()); )+
    };
}

/// Looks all of them up. Costs some dozen lookups of classes that the JVM has loaded anyway.
pub fn look_up_all(env: &Env<'_>) {
    look_up!(
        env,
        JObject,
        JClass,
        JClassLoader,
        JString,
        JThread,
        JThrowable,
        JStackTraceElement,
        JByteBuffer,
        JArrayIndexOutOfBoundsException,
        JArrayStoreException,
        JClassCircularityError,
        JClassFormatError,
        JClassNotFoundException,
        JExceptionInInitializerError,
        JIllegalArgumentException,
        JIllegalMonitorStateException,
        JInstantiationException,
        JLinkageError,
        JNoClassDefFoundError,
        JNoSuchFieldError,
        JNoSuchMethodError,
        JOutOfMemoryError,
        JNumberFormatException,
        JRuntimeException,
        JSecurityException,
        JStringIndexOutOfBoundsException,
    );
}
