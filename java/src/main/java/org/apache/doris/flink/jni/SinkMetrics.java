package org.apache.doris.flink.jni;

import org.apache.doris.flink.error.ErrorCode;
import org.apache.doris.flink.error.NativeException;
import org.apache.flink.annotation.Internal;

import java.util.Arrays;

/** Figures of one sink since it was opened; in the order of {@code Native.sinkMetrics}. */
@Internal
public final class SinkMetrics {
    private static final int COUNT = 10;

    /** Of a sink that is closed. */
    public static final SinkMetrics NONE = new SinkMetrics();

    private final long[] values;

    /**
     * @param values as many as there are; those behind them are 0
     */
    public SinkMetrics(long... values) {
        this.values = Arrays.copyOf(values, COUNT);
    }

    static SinkMetrics read(long[] values) throws NativeException {
        if (values == null || values.length < COUNT) {
            throw new NativeException(
                    ErrorCode.INTERNAL, "the native library returned no sink metrics");
        }
        return new SinkMetrics(values);
    }

    /** Native bytes of ring buffers now, those in Java's hands included. */
    public long ringBytes() {
        return values[0];
    }

    /** Compressed bytes kept now so that a broken load can be sent again. */
    public long replayBytes() {
        return values[1];
    }

    /** Native bytes of both kinds. */
    public long heldBytes() {
        return ringBytes() + replayBytes();
    }

    /** The most that ring and kept bytes together have ever been. */
    public long maxHeldBytes() {
        return values[2];
    }

    /** Loads that are open now. */
    public long openLoads() {
        return values[3];
    }

    /** Loads that the server accepted. */
    public long loadsSucceeded() {
        return values[4];
    }

    /** Attempts of loads that failed, those that were sent again included. */
    public long attemptsFailed() {
        return values[5];
    }

    /** Rows sent; a row that was sent again counts once. */
    public long rows() {
        return values[6];
    }

    /** Bytes of the rows in the load format, before compression. */
    public long encodedBytes() {
        return values[7];
    }

    /** Bytes that went to the server, after compression. */
    public long sentBytes() {
        return values[8];
    }

    /** Connections for load bodies that are open now. */
    public long openConnections() {
        return values[9];
    }
}
