package org.apache.doris.flink.chaos.changelog;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * The table of a run and how it is followed, chosen by the seed: model, history, increment type,
 * start and slices.
 */
final class FollowedTable {

    static final String DATABASE = "chaos";
    static final String NAME = "followed";
    static final String IDENTIFIER = DATABASE + "." + NAME;

    /** Database and name of the table of positions. */
    static final String OFFSETS = DATABASE + ".offsets";

    /** The id under which positions are published. */
    static final String CONSUMER = "chaos-consumer";

    /** Partitions at the start, by ranges of column {@code p}: the partition of n holds n. */
    static final int PARTITIONS = 3;

    private static final List<String> SCHEMES = List.of("1", "4", "7", "partitions", "2");

    /** Every combination of model, history and increment type that servers answer. */
    private enum Variant {
        DETAIL(true, true, "detail"),
        MIN_DELTA(true, true, "min_delta"),
        APPEND_ONLY(true, true, "append_only"),
        WITHOUT_HISTORY(true, false, "detail"),
        DUPLICATE(false, false, "detail"),
        INSERTS_WITHOUT_HISTORY(true, false, "append_only"),
        INSERTS_OF_DUPLICATE(false, false, "append_only");

        private final boolean unique;
        private final boolean history;
        private final String incrementType;

        Variant(boolean unique, boolean history, String incrementType) {
            this.unique = unique;
            this.history = history;
            this.incrementType = incrementType;
        }
    }

    private final Variant variant;
    private final boolean initial;
    private final boolean keyed;
    private final boolean publishes;
    private final List<String> schemes;
    private int scheme;

    FollowedTable(long seed) {
        Random random = new Random(seed);
        Variant[] variants = Variant.values();
        // Neighbouring seeds take turns, so that a handful of runs has met all.
        variant = variants[(int) Math.floorMod(seed, (long) variants.length)];
        initial = random.nextInt(3) > 0;
        keyed = random.nextBoolean();
        publishes = random.nextInt(3) > 0;
        schemes = new ArrayList<>(SCHEMES);
        java.util.Collections.shuffle(schemes, random);
    }

    /** Whether its log holds rows as they were before a change. */
    boolean keepsHistory() {
        return variant.history;
    }

    /** Whether it has keys that are updated and deleted. */
    boolean isUnique() {
        return variant.unique;
    }

    /** Whether what arrives can be compared with the log record by record. */
    boolean isRecordByRecord() {
        return variant != Variant.MIN_DELTA;
    }

    /** Whether updates and deletes arrive, so that the result is the table. */
    boolean hasAllChanges() {
        return !variant.incrementType.equals("append_only");
    }

    /** Whether the job begins with the content of the table. */
    boolean isInitial() {
        return initial;
    }

    /** Whether rows are hashed by key behind the source. */
    boolean isKeyed() {
        return keyed;
    }

    /** Whether positions are published. */
    boolean publishes() {
        return publishes;
    }

    /** The increment type as the server's queries name it. */
    String incrementType() {
        return variant.incrementType.equals("append_only") ? "APPEND_ONLY" : "DETAIL";
    }

    /** From now on another scheme of slices, the next of the seed's order. */
    String nextScheme() {
        scheme = (scheme + 1) % schemes.size();
        return schemes.get(scheme);
    }

    /** What the server needs before the job runs. */
    String[] statements() {
        StringBuilder partitions = new StringBuilder();
        for (int i = 0; i < PARTITIONS; i++) {
            partitions.append(i == 0 ? "" : ", ").append(partition(i));
        }
        return new String[] {
            "CREATE DATABASE " + DATABASE,
            String.format(
                    "CREATE TABLE %s (k BIGINT NOT NULL, p INT NOT NULL, n BIGINT, v VARCHAR(200))"
                            + " %s KEY(k, p) PARTITION BY RANGE(p) (%s) DISTRIBUTED BY HASH(k)"
                            + " BUCKETS 2 PROPERTIES (\"replication_num\" = \"1\","
                            + " \"changelog.enable\" = \"true\"%s)",
                    IDENTIFIER,
                    variant.unique ? "UNIQUE" : "DUPLICATE",
                    partitions,
                    variant.history ? ", \"changelog.need_historical_value\" = \"true\"" : ""),
            "CREATE TABLE "
                    + OFFSETS
                    + " (consumer_id VARCHAR(256) NOT NULL, offset_timestamp DATETIME NOT NULL,"
                    + " update_time DATETIMEV2(3) NOT NULL) UNIQUE KEY(consumer_id) DISTRIBUTED BY"
                    + " HASH(consumer_id) BUCKETS 1 PROPERTIES (\"replication_num\" = \"1\")"
        };
    }

    /** The partition that holds a value of {@code p}, as a statement defines it. */
    static String partition(int p) {
        return String.format("PARTITION %s VALUES [(\"%d\"), (\"%d\"))", name(p), p, p + 1);
    }

    /** Name of the partition that holds a value of {@code p}. */
    static String name(int p) {
        return "part" + p;
    }

    /**
     * Options of the table in Flink as of now, besides those that tell where the server is.
     *
     * @param start wall clock from which changes are read where the content is skipped
     * @param jdbcUrl where positions are published
     */
    Map<String, String> options(String start, String jdbcUrl) {
        Map<String, String> options = new TreeMap<>();
        options.put("table.identifier", IDENTIFIER);
        options.put("source.scan.mode", initial ? "initial" : "from-timestamp");
        if (!initial) {
            options.put("source.scan.timestamp", start);
        }
        options.put("source.changelog.increment-type", variant.incrementType);
        options.put("source.changelog.poll-interval", "1 s");
        options.put("source.changelog.visible-wait-timeout", "120 s");
        options.put("source.changelog.slices", schemes.get(scheme));
        // Then there is a middle to break.
        options.put("doris.batch.size", "20");
        if (publishes) {
            options.put("source.changelog.offset-table", OFFSETS);
            options.put("source.changelog.consumer-id", CONSUMER);
            options.put("jdbc-url", jdbcUrl);
        }
        return options;
    }

    @Override
    public String toString() {
        return String.format(
                "%s, %s, %s slices, %s, %s",
                variant.name().toLowerCase(java.util.Locale.ROOT).replace('_', '-'),
                initial ? "initial" : "from-timestamp",
                schemes.get(scheme),
                keyed ? "hashed by key" : "chained",
                publishes ? "published" : "not published");
    }
}
