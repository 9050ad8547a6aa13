package org.apache.doris.flink.jni;

import org.apache.flink.annotation.Internal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Carries native log records to slf4j. Native threads never enter the JVM, so the records wait in a
 * bounded ring until a Java thread that has come back from a native call drains them. Logger names
 * are {@code org.apache.doris.flink.native.<module>}.
 */
@Internal
public final class NativeLog {
    private static final Logger LOG = LoggerFactory.getLogger(NativeLog.class);
    private static final String PREFIX = "org.apache.doris.flink.native.";
    private static final int BLOCK = 128;
    private static final AtomicLong REPORTED_LOST = new AtomicLong();

    private NativeLog() {}

    /** Hands all waiting records on. Never throws. */
    public static void drain() {
        if (!NativeLibrary.isLoaded()) {
            return;
        }
        try {
            // Bounded, so that a chatty native side cannot keep the caller.
            for (int i = 0; i < 16; i++) {
                byte[] records = Native.drainLog(BLOCK);
                if (records == null) {
                    return;
                }
                write(ByteBuffer.wrap(records));
                reportLost();
            }
        } catch (RuntimeException e) {
            LOG.warn("Native log records could not be read", e);
        }
    }

    /** u32 n, then per record u8 level, u32 length and target, u32 length and message. */
    private static void write(ByteBuffer in) {
        for (int n = in.getInt(); n > 0; n--) {
            byte level = in.get();
            Logger logger = LoggerFactory.getLogger(PREFIX + text(in).replace("::", "."));
            String message = text(in);
            switch (level) {
                case 1:
                    logger.error("{}", message);
                    break;
                case 2:
                    logger.warn("{}", message);
                    break;
                case 3:
                    logger.info("{}", message);
                    break;
                case 4:
                    logger.debug("{}", message);
                    break;
                default:
                    logger.trace("{}", message);
            }
        }
    }

    private static String text(ByteBuffer in) {
        byte[] utf8 = new byte[in.getInt()];
        in.get(utf8);
        return new String(utf8, StandardCharsets.UTF_8);
    }

    private static void reportLost() {
        long lost = NativeCounters.droppedLogRecords();
        long before = REPORTED_LOST.getAndSet(lost);
        if (lost > before) {
            LOG.warn("{} native log records were lost: more came than were read", lost - before);
        }
    }
}
