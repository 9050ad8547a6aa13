package org.apache.doris.flink.sink.transaction;

import org.apache.doris.flink.config.ConfigCodec;
import org.apache.doris.flink.config.SinkConfig;
import org.apache.doris.flink.jni.NativeLibrary;
import org.apache.doris.flink.jni.NativeSink;
import org.apache.flink.annotation.Internal;

import java.io.IOException;
import java.util.OptionalLong;

/** Opens the handle that a writer or a committer works with. */
@Internal
public final class NativeSinks {

    private NativeSinks() {}

    /** A handle of the caller's, to be closed by it; no I/O. */
    public static NativeSink open(SinkConfig config, CheckpointPlan checkpoints)
            throws IOException {
        NativeLibrary.load(config.connection().libraryPath());
        OptionalLong limit = config.write().userTimeout();
        if (config.write().batch() && limit.isEmpty()) {
            // A load is sent as a whole, however long the job runs without checkpoints.
            limit = OptionalLong.of(CheckpointPlan.LEAST_LOAD_TIMEOUT);
        }
        return NativeSink.open(
                ConfigCodec.encode(
                        config,
                        checkpoints.loadTimeoutSeconds(limit),
                        checkpoints.answerTimeout(limit)));
    }
}
