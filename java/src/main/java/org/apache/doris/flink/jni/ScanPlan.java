package org.apache.doris.flink.jni;

import org.apache.doris.flink.error.ErrorCode;
import org.apache.doris.flink.error.NativeException;
import org.apache.flink.annotation.Internal;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What a read of one table consists of. Immutable. */
@Internal
public final class ScanPlan {
    private final boolean hasTablets;
    private final List<Tablet> tablets;
    private final List<String> warnings;

    private ScanPlan(boolean hasTablets, List<Tablet> tablets, List<String> warnings) {
        this.hasTablets = hasTablets;
        this.tablets = Collections.unmodifiableList(tablets);
        this.warnings = Collections.unmodifiableList(warnings);
    }

    /** Whether the table is read tablet by tablet; views and other sources are one query. */
    public boolean hasTablets() {
        return hasTablets;
    }

    /** The tablets that hold rows for the filter, ascending by id. */
    public List<Tablet> tablets() {
        return tablets;
    }

    /** What a user should know, to be logged once. */
    public List<String> warnings() {
        return warnings;
    }

    /** One tablet and where it lives. */
    public static final class Tablet {
        private final long id;
        private final List<String> backends;

        Tablet(long id, List<String> backends) {
            this.id = id;
            this.backends = Collections.unmodifiableList(backends);
        }

        /** Doris' id of the tablet. */
        public long id() {
            return id;
        }

        /** {@code host:port} of the back ends that hold a replica. */
        public List<String> backends() {
            return backends;
        }

        @Override
        public String toString() {
            return id + " on " + backends;
        }
    }

    /**
     * Reads what {@code rust/jni/src/convert.rs} writes, big-endian: u8 whether there are tablets;
     * u32 n and n × (i64 id, u32 k, k × text); u32 w and w × text; a text is u32 length and UTF-8.
     */
    static ScanPlan decode(byte[] bytes) throws NativeException {
        if (bytes == null) {
            throw new NativeException(ErrorCode.INTERNAL, "the native library returned no plan");
        }
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            boolean hasTablets = in.readByte() != 0;
            int count = count(in, 12);
            List<Tablet> tablets = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                long id = in.readLong();
                tablets.add(new Tablet(id, texts(in)));
            }
            ScanPlan plan = new ScanPlan(hasTablets, tablets, texts(in));
            if (in.available() > 0) {
                throw new IOException(in.available() + " bytes too many");
            }
            return plan;
        } catch (IOException e) {
            throw new NativeException(
                    ErrorCode.INTERNAL, "the plan from the native library cannot be read", e);
        }
    }

    private static List<String> texts(DataInputStream in) throws IOException {
        int count = count(in, 4);
        List<String> texts = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            byte[] utf8 = new byte[count(in, 1)];
            in.readFully(utf8);
            texts.add(new String(utf8, StandardCharsets.UTF_8));
        }
        return texts;
    }

    /** A count of items that take at least that many bytes each. */
    private static int count(DataInputStream in, int bytesEach) throws IOException {
        int count = in.readInt();
        if (count < 0 || (long) count * bytesEach > in.available()) {
            throw new IOException(
                    "a count of " + count + " with " + in.available() + " bytes left");
        }
        return count;
    }
}
