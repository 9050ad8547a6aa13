package org.apache.doris.flink.error;

import org.apache.flink.annotation.Internal;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.Set;

/**
 * A failure of the native library or of loading it, with what the user should know in the message.
 * Native code makes it through the constructor with bytes.
 */
@Internal
public class NativeException extends IOException {
    private static final long serialVersionUID = 1L;

    /** Errors that remain, however often the call is retried. */
    private static final Set<ErrorCode> HOPELESS =
            EnumSet.of(
                    ErrorCode.CONFIG,
                    ErrorCode.CONNECT,
                    ErrorCode.AUTH,
                    ErrorCode.NOT_FOUND,
                    ErrorCode.SCHEMA,
                    ErrorCode.QUERY,
                    ErrorCode.UNSUPPORTED,
                    ErrorCode.LIBRARY,
                    ErrorCode.OFFSET);

    private final int number;
    private final boolean retryable;
    private final String nativeTrace;

    /** Called by native code ({@code rust/jni/src/guard.rs}); the texts are UTF-8. */
    NativeException(int number, boolean retryable, byte[] message, byte[] nativeTrace) {
        this(number, retryable, text(message), text(nativeTrace));
    }

    /** The failure of one part of a call, which native code reports by its values. */
    public NativeException(int number, boolean retryable, String message) {
        this(number, retryable, message, "");
    }

    private NativeException(int number, boolean retryable, String message, String nativeTrace) {
        super(
                message + suffix(number),
                nativeTrace.isEmpty() ? null : new NativeTrace(nativeTrace));
        this.number = number;
        this.retryable = retryable;
        this.nativeTrace = nativeTrace;
    }

    /** A failure found on this side of the boundary; not worth trying again. */
    public NativeException(ErrorCode code, String message, Throwable cause) {
        super(message, cause);
        this.number = code.number();
        this.retryable = false;
        this.nativeTrace = "";
    }

    /** A failure found on this side of the boundary; not worth trying again. */
    public NativeException(ErrorCode code, String message) {
        this(code, message, null);
    }

    /** What went wrong. */
    public ErrorCode code() {
        return ErrorCode.of(number);
    }

    /** Whether the same request may succeed later. */
    public boolean isRetryable() {
        return retryable;
    }

    /**
     * Whether asking again can only give the same answer: login, names, types and statements that
     * are wrong, a library that cannot be loaded. Data and what is under way are not among them.
     */
    public boolean isHopeless() {
        return !retryable && HOPELESS.contains(code());
    }

    /** Where a panic happened and its stack, empty for ordinary errors. */
    public String nativeTrace() {
        return nativeTrace;
    }

    private static String text(byte[] utf8) {
        return utf8 == null ? "" : new String(utf8, StandardCharsets.UTF_8);
    }

    private static String suffix(int number) {
        return ErrorCode.of(number) == ErrorCode.UNKNOWN ? " (error code " + number + ")" : "";
    }

    /** Shows the native stack where Java shows causes. */
    private static final class NativeTrace extends Exception {
        private static final long serialVersionUID = 1L;

        NativeTrace(String trace) {
            super("native stack: " + trace, null, false, false);
        }
    }
}
