package org.apache.doris.flink.source.enumerator;

import org.apache.doris.flink.config.ConfigCodec;
import org.apache.doris.flink.config.ScanConfig;
import org.apache.doris.flink.error.ErrorCode;
import org.apache.doris.flink.error.NativeException;
import org.apache.doris.flink.jni.NativeCall;
import org.apache.doris.flink.jni.NativeChangelog;
import org.apache.doris.flink.jni.NativeLibrary;
import org.apache.doris.flink.jni.NativeLog;
import org.apache.doris.flink.source.offset.OffsetTable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;

/**
 * Calls through the native core, in short waits so that a cancel is noticed at once. The handle is
 * opened by the first question, on the worker thread.
 */
final class NativeChangelogService implements ChangelogService {

    private final ScanConfig scan;
    private final OffsetTable offsets = new NativeOffsetTable();
    private NativeChangelog changelog;
    private boolean closed;

    NativeChangelogService(ScanConfig scan) {
        this.scan = scan;
    }

    @Override
    public TableFacts table(BooleanSupplier cancelled) throws Exception {
        Map<String, String> answer = call(Map.of("call", "table"), cancelled);
        List<String> warnings = new ArrayList<>();
        for (int i = 0; i < number(answer, "warnings"); i++) {
            warnings.add(text(answer, "warning." + i));
        }
        String id = text(answer, "table.id");
        return new TableFacts(
                text(answer, "keys").equals("UNIQUE_KEYS"),
                Boolean.parseBoolean(text(answer, "history")),
                number(answer, "ttl.seconds"),
                id.isEmpty() ? OptionalLong.empty() : OptionalLong.of(number(answer, "table.id")),
                warnings);
    }

    @Override
    public long position(BooleanSupplier cancelled) throws Exception {
        return number(call(Map.of("call", "position"), cancelled), "millis");
    }

    @Override
    public Instant instant(String text, BooleanSupplier cancelled) throws Exception {
        Map<String, String> answer = call(Map.of("call", "instant", "text", text), cancelled);
        return new Instant(number(answer, "millis"), text(answer, "zone"));
    }

    @Override
    public Map<Long, String> partitions(BooleanSupplier cancelled) throws Exception {
        Map<String, String> answer = call(Map.of("call", "partitions"), cancelled);
        long count = number(answer, "count");
        Map<Long, String> partitions = new HashMap<>();
        for (int i = 0; i < count; i++) {
            partitions.put(
                    number(answer, "partition." + i + ".id"),
                    text(answer, "partition." + i + ".name"));
        }
        if (partitions.size() != count) {
            throw notUnderstood("a partition is listed twice", null);
        }
        return partitions;
    }

    @Override
    public long probe(BooleanSupplier cancelled) throws Exception {
        return number(call(Map.of("call", "probe"), cancelled), "hash");
    }

    @Override
    public OffsetTable offsets() {
        return offsets;
    }

    @Override
    public void close() {
        NativeChangelog open;
        synchronized (this) {
            closed = true;
            open = changelog;
            changelog = null;
        }
        if (open != null) {
            open.close();
        }
    }

    private NativeCall begin(Map<String, String> request) throws IOException {
        NativeChangelog open;
        synchronized (this) {
            if (closed) {
                throw new NativeException(ErrorCode.CLOSED, "the source is closed");
            }
            if (changelog == null) {
                NativeLibrary.load(scan.connection().libraryPath());
                changelog = NativeChangelog.open(ConfigCodec.encode(scan));
            }
            open = changelog;
        }
        return open.call(request);
    }

    private Map<String, String> call(Map<String, String> request, BooleanSupplier cancelled)
            throws Exception {
        try (NativeCall call = begin(request)) {
            return call.answer(cancelled);
        } finally {
            NativeLog.drain();
        }
    }

    private static String text(Map<String, String> answer, String key) throws NativeException {
        String value = answer.get(key);
        if (value == null) {
            throw notUnderstood("no " + key, null);
        }
        return value;
    }

    private static long number(Map<String, String> answer, String key) throws NativeException {
        String value = text(answer, key);
        try {
            return Long.parseLong(value);
        } catch (NumberFormatException e) {
            throw notUnderstood(key + " is " + value, e);
        }
    }

    private static NativeException notUnderstood(String what, Exception cause) {
        return new NativeException(
                ErrorCode.INTERNAL,
                "an answer of the native library is not understood: " + what,
                cause);
    }

    private final class NativeOffsetTable implements OffsetTable {

        @Override
        public OptionalLong read(BooleanSupplier cancelled) throws Exception {
            Map<String, String> answer = call(Map.of("call", "offset.read"), cancelled);
            return Boolean.parseBoolean(text(answer, "found"))
                    ? OptionalLong.of(number(answer, "millis"))
                    : OptionalLong.empty();
        }

        @Override
        public Write write(long millis) throws IOException {
            return new NativeWrite(
                    begin(Map.of("call", "offset.write", "millis", String.valueOf(millis))));
        }

        @Override
        public String describe() {
            return String.format(
                    "consumer '%s' in offset table %s",
                    scan.changelog().consumerId().orElse(""),
                    scan.changelog().offsetTable().map(Object::toString).orElse(""));
        }
    }

    private static final class NativeWrite implements OffsetTable.Write {

        private final NativeCall call;
        private NativeException failure;

        private NativeWrite(NativeCall call) {
            this.call = call;
        }

        @Override
        public boolean await(long millis) {
            try {
                return failure != null || call.await(millis);
            } catch (NativeException e) {
                failure = e;
                return true;
            } finally {
                NativeLog.drain();
            }
        }

        @Override
        public void result() throws IOException {
            if (failure != null) {
                throw failure;
            }
            call.result();
        }

        @Override
        public void close() {
            call.close();
        }
    }
}
