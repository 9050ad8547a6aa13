package org.apache.doris.flink.jni;

import org.apache.doris.flink.error.ErrorCode;
import org.apache.doris.flink.error.NativeException;
import org.apache.flink.annotation.Internal;

import java.util.Map;

/**
 * What one subtask writes or commits with: connections, the memory bounds of its loads, its
 * figures. All methods may be called from any thread.
 *
 * <p>Closing ends its loads and calls at once: theirs in flight end with {@link ErrorCode#CLOSED}.
 * Their handles still have to be closed, in any order.
 */
@Internal
public final class NativeSink extends NativeHandle {

    private NativeSink(long id) throws NativeException {
        super("sink", id, Native::sinkClose);
    }

    /**
     * Opens a sink; loads the library if that was not done yet. No I/O.
     *
     * @param config the resolved map as {@code ConfigCodec} writes it
     * @throws NativeException {@link ErrorCode#CONFIG} names a key that is missing or not usable
     */
    public static NativeSink open(byte[] config) throws NativeException {
        NativeLibrary.ensureLoaded();
        return new NativeSink(Native.sinkOpen(config));
    }

    /**
     * Begins a load; nothing is sent before its first rows.
     *
     * @param spec {@code database}, {@code table}, {@code labels.base}, {@code labels.next}, {@code
     *     input} = {@code rows} or {@code raw}, {@code declared} (the {@code ROW<…>} text of the
     *     columns; empty for raw) and {@code delete-sign} = {@code true} or {@code false}: whether
     *     the sign follows the columns; for raw whether the bytes hold one
     */
    public NativeLoad openLoad(Map<String, String> spec) throws NativeException {
        return new NativeLoad(Native.loadOpen(id(), TextMap.encode(spec)));
    }

    /**
     * Begins a call to the server, named by {@code call}:
     *
     * <table>
     *   <caption>Calls, what they need and what they give</caption>
     *   <tr><th>call</th><th>also needs</th><th>result</th></tr>
     *   <tr><td>{@code table}</td><td>{@code database}, {@code table}, {@code declared} (may be
     *       empty), {@code delete-sign}</td><td>{@code keys} = {@code UNIQUE_KEYS}, {@code DUP_KEYS}
     *       or {@code AGG_KEYS}; {@code delete.sign}: whether it will be sent; {@code key.fields}:
     *       positions of the declared columns that are the key; without declared columns those of
     *       the table: {@code columns} = their number, {@code column.<i>} and {@code
     *       column.<i>.key}</td></tr>
     *   <tr><td>{@code state}</td><td>{@code database}, {@code label}</td><td>{@code state} = {@code
     *       UNKNOWN}, {@code PREPARE}, {@code PRECOMMITTED}, {@code COMMITTED}, {@code VISIBLE} or
     *       {@code ABORTED}</td></tr>
     *   <tr><td>{@code series}</td><td>{@code count}, {@code <i>.database}, {@code <i>.base},
     *       {@code <i>.first}; {@code past.finished}; {@code first.failure.ends}</td><td>{@code
     *       <i>.states}: of the labels from the first to the last known one, with commas</td></tr>
     *   <tr><td>{@code abort}</td><td>{@code count}, {@code <i>.database}, {@code <i>.label};
     *       {@code first.failure.ends}</td><td>{@code <i>.outcome} = {@code aborted}, {@code
     *       finished} (committed, so not aborted) or {@code not-found}</td></tr>
     *   <tr><td>{@code commit}</td><td>{@code database}, {@code table}, {@code txn.id}, {@code
     *       label}</td><td>{@code outcome} = {@code committed} or {@code already}; {@code
     *       retries}</td></tr>
     *   <tr><td>{@code replacement.make}</td><td>{@code database}, {@code table}, {@code prefix},
     *       {@code run}; {@code number}</td><td>{@code name}, {@code created}</td></tr>
     *   <tr><td>{@code replacement.find}</td><td>the same four; {@code wait.ms}</td><td>{@code
     *       name}</td></tr>
     *   <tr><td>{@code replacement.swap}</td><td>the same four; {@code name}, {@code
     *       created}</td><td>{@code outcome} = {@code swapped} or {@code already}</td></tr>
     *   <tr><td>{@code replacement.drop}</td><td>the same four</td><td>{@code count}</td></tr>
     * </table>
     *
     * <p>A part {@code i} that fails has {@code <i>.failure}, {@code <i>.failure.code} and {@code
     * <i>.failure.retryable} instead, unless the first failure ends the call.
     */
    public NativeCall call(Map<String, String> request) throws NativeException {
        return new NativeCall(Native.callStart(id(), TextMap.encode(request)));
    }

    /** Figures of this sink. */
    public SinkMetrics metrics() throws NativeException {
        return SinkMetrics.read(Native.sinkMetrics(id()));
    }

    @Override
    void free(long id) throws NativeException {
        Native.sinkClose(id);
    }
}
