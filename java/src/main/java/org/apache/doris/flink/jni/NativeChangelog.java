package org.apache.doris.flink.jni;

import org.apache.doris.flink.error.ErrorCode;
import org.apache.doris.flink.error.NativeException;
import org.apache.flink.annotation.Internal;

import java.util.Map;

/**
 * Requests of an enumerator about a table whose changes are followed, and its row in the offset
 * table. The account's time zone is resolved once. All methods may be called from any thread.
 *
 * <p>Closing ends its calls at once, with {@link ErrorCode#CLOSED}. Their handles still have to be
 * closed, in any order.
 */
@Internal
public final class NativeChangelog extends NativeHandle {

    private NativeChangelog(long id) throws NativeException {
        super("changelog", id, Native::changelogClose);
    }

    /**
     * Opens; loads the library if that was not done yet. No I/O.
     *
     * @param config the resolved map as {@code ConfigCodec} writes it, of an incremental scan mode
     * @throws NativeException {@link ErrorCode#CONFIG} names a key that is missing or not usable
     */
    public static NativeChangelog open(byte[] config) throws NativeException {
        NativeLibrary.ensureLoaded();
        return new NativeChangelog(Native.changelogOpen(config));
    }

    /**
     * Begins a call to the server, named by {@code call}:
     *
     * <table>
     *   <caption>Calls, what they need and what they give; times are ms since 1970 UTC</caption>
     *   <tr><th>call</th><th>also needs</th><th>result</th></tr>
     *   <tr><td>{@code table}</td><td></td><td>{@code keys} = {@code UNIQUE_KEYS} or {@code
     *       DUP_KEYS}; {@code history} = {@code true} or {@code false}; {@code ttl.seconds}; {@code
     *       table.id}, empty where not known; {@code warnings}, {@code warning.<i>}. Fails where
     *       the changes cannot be read as configured</td></tr>
     *   <tr><td>{@code position}</td><td></td><td>{@code millis} and {@code tso} of the newest
     *       committed position</td></tr>
     *   <tr><td>{@code instant}</td><td>{@code text}, {@code yyyy-MM-dd HH:mm:ss} in the account's
     *       time zone</td><td>{@code millis}, {@code zone}</td></tr>
     *   <tr><td>{@code partitions}</td><td></td><td>{@code count}, {@code partition.<i>.id}, {@code
     *       partition.<i>.name}: as the master front end lists them</td></tr>
     *   <tr><td>{@code probe}</td><td></td><td>{@code hash} of a constant, as slices are
     *       cut</td></tr>
     *   <tr><td>{@code offset.read}</td><td></td><td>{@code found} = {@code true} or {@code false};
     *       {@code millis}. {@link ErrorCode#OFFSET} for a table or a row that is not
     *       usable</td></tr>
     *   <tr><td>{@code offset.write}</td><td>{@code millis}</td><td>{@code rows}; one
     *       attempt</td></tr>
     * </table>
     */
    public NativeCall call(Map<String, String> request) throws NativeException {
        return new NativeCall(Native.changelogCall(id(), TextMap.encode(request)));
    }

    @Override
    void free(long id) throws NativeException {
        Native.changelogClose(id);
    }
}
