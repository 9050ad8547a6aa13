package org.apache.doris.flink.arrow;

import org.apache.flink.annotation.Internal;

import java.lang.ref.Cleaner;

/**
 * Frees native memory whose owner was not closed and became unreachable. The one cleaner of a class
 * loader: each costs a thread until the loader is collected.
 */
@Internal
public final class NativeCleaner {

    /** Created with the first registration; its thread ends with the class loader. */
    private static final Cleaner CLEANER = Cleaner.create();

    private NativeCleaner() {}

    /** Runs {@code free} when {@code owner} is unreachable; it must not refer to the owner. */
    public static Cleaner.Cleanable register(Object owner, Runnable free) {
        return CLEANER.register(owner, free);
    }
}
