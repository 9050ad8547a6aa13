//! Linker flags of the cdylib.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        // Thread-local destructors of the JVM's own threads may still point into the library when its class loader is
        // collected: the code has to stay mapped.
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}
