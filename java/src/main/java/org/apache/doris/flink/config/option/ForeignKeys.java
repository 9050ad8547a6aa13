package org.apache.doris.flink.config.option;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * Keys of older releases and of other connectors, whose values cannot be carried over, with what to
 * write instead. Those that one option replaces stand in its definition; the rest stands here.
 */
final class ForeignKeys {

    private static final String CHECKPOINTS =
            "remove it: rows are sent all the time and become visible with each checkpoint, so set"
                    + " 'execution.checkpointing.interval' of the job";

    private static final Map<String, Foreign> ALL = all();

    private ForeignKeys() {}

    /** By key, in alphabetical order. */
    static Map<String, Foreign> known() {
        return ALL;
    }

    /** Where a key comes from and what to write instead. */
    static final class Foreign {
        private final String origin;
        private final String instead;
        private final boolean writing;

        private Foreign(String origin, String instead, boolean writing) {
            this.origin = origin;
            this.instead = instead;
            this.writing = writing;
        }

        /** Whose key it is, for example "of older releases". */
        String origin() {
            return origin;
        }

        /** What to do about it, without a full stop. */
        String instead() {
            return instead;
        }

        /** Whether it is about writing alone. */
        boolean writing() {
            return writing;
        }
    }

    private static Map<String, Foreign> all() {
        Map<String, Foreign> all = new TreeMap<>();
        for (DorisOption<?> option : DorisConfigOptions.all()) {
            String instead = "use '" + option.key() + "'";
            for (DorisOption.Replaced key : option.replaced()) {
                all.put(key.key, new Foreign("of other connectors", instead, key.writing));
            }
        }
        older(all, "sink.batch.size", SinkOptions.FLUSH_MAX_ROWS);
        older(all, "sink.batch.bytes", SinkOptions.FLUSH_MAX_BYTES);
        older(all, "sink.batch.interval", SinkOptions.FLUSH_INTERVAL);
        writing(all, "sink.buffer-flush.interval-ms", orBatch(SinkOptions.FLUSH_INTERVAL));
        writing(all, "sink.version", "remove it, or use 'sink.enable-2pc'");
        writing(
                all,
                "sink.at-least-once.use-transaction-stream-load",
                "remove it, or use 'sink.enable-2pc'");
        other(all, "url", "use 'fenodes' and 'table.identifier'");
        other(all, "driver", "remove it: no driver is needed");
        other(all, "database-name", "use 'table.identifier' = 'database.table'");
        other(all, "table-name", "use 'table.identifier' = 'database.table'");
        for (String key : new String[] {"column", "num", "lower-bound", "upper-bound"}) {
            other(
                    all,
                    "scan.partition." + key,
                    "remove it: a table is read in parallel by its tablets, see"
                            + " 'doris.request.tablet.size' and 'scan.parallelism'");
        }
        return Collections.unmodifiableMap(all);
    }

    private static void older(Map<String, Foreign> all, String key, DorisOption<?> inBatchMode) {
        all.put(key, new Foreign("of older releases", orBatch(inBatchMode), true));
    }

    private static String orBatch(DorisOption<?> option) {
        return CHECKPOINTS
                + ", or use '"
                + option.key()
                + "' with '"
                + SinkOptions.ENABLE_BATCH_MODE.key()
                + "' = 'true'";
    }

    private static void writing(Map<String, Foreign> all, String key, String instead) {
        all.put(key, new Foreign("of other connectors", instead, true));
    }

    private static void other(Map<String, Foreign> all, String key, String instead) {
        all.put(key, new Foreign("of other connectors", instead, false));
    }
}
