package org.apache.doris.flink.chaos;

import org.apache.doris.flink.chaos.job.ChaosRows;
import org.apache.doris.flink.chaos.job.ChaosRows.Stream;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Compares both tables, row by row, with what was sent up to a position of every partition. */
final class Comparison {

    private static final int SHOWN = 20;

    /** How often a row of a stream of inserts may be there. */
    @FunctionalInterface
    interface Copies {
        /** At most so often. */
        int of(Stream stream, int partition, long position);
    }

    private final ChaosRows rows;
    private final int end;
    private final Copies most;
    private final List<String> findings = new ArrayList<>();

    /** Rows that should be there and are not. */
    private long missing;

    /** Rows that are there once more than they should be. */
    private long doubled;

    /** Those of them that may be. */
    private long doubledAllowed;

    /** Rows that should not be there, or not like this. */
    private long wrong;

    /** A comparison with the positions below {@code end} of all partitions. */
    Comparison(ChaosRows rows, long end, Copies most) {
        this.rows = rows;
        this.most = most;
        this.end = Math.toIntExact(end);
    }

    /** How many rows were sent. */
    long sent() {
        return (long) Stream.values().length * ChaosRows.PARTITIONS * end;
    }

    long missing() {
        return missing;
    }

    long doubled() {
        return doubled;
    }

    long doubledAllowed() {
        return doubledAllowed;
    }

    /** Whether nothing is to be found fault with. */
    boolean isExact() {
        return missing + wrong == 0 && doubled == doubledAllowed;
    }

    long wrong() {
        return wrong;
    }

    /** The first rows that are not as they should be, in words. */
    List<String> findings() {
        return findings;
    }

    /** The table of updates: rows of key, partition, position, text. */
    void latest(List<List<String>> table) {
        Map<Long, Long> last = new HashMap<>();
        for (int partition = 0; partition < ChaosRows.PARTITIONS; partition++) {
            for (long position = 0; position < end; position++) {
                long key = rows.key(partition, position);
                if (rows.deletes(partition, position)) {
                    last.remove(key);
                } else {
                    last.put(key, position);
                }
            }
        }
        Map<Long, Integer> seen = new HashMap<>();
        for (List<String> row : table) {
            long key = Long.parseLong(row.get(0));
            Long position = last.get(key);
            if (seen.merge(key, 1, Integer::sum) > 1) {
                doubled++;
                find("doubled", "key " + row);
            } else if (position == null) {
                wrong++;
                find("wrong", "no row was to be left of this key: " + row);
            } else {
                int partition = (int) (key % ChaosRows.PARTITIONS);
                check(row, partition, position, rows.text(Stream.UPDATES, partition, position));
            }
        }
        last.forEach(
                (key, position) -> {
                    if (!seen.containsKey(key)) {
                        missing++;
                        find("missing", "key " + key + ", last changed at position " + position);
                    }
                });
    }

    /** The table of inserts: rows of side, partition, position, text. */
    void inserts(List<List<String>> table) {
        for (Stream stream : List.of(Stream.SIDE_A, Stream.SIDE_B)) {
            String side = String.valueOf(ChaosRows.side(stream));
            byte[][] times = new byte[ChaosRows.PARTITIONS][end];
            for (List<String> row : table) {
                if (side.equals(row.get(0))) {
                    insert(stream, times, row);
                }
            }
            for (int partition = 0; partition < ChaosRows.PARTITIONS; partition++) {
                for (int position = 0; position < end; position++) {
                    if (times[partition][position] == 0) {
                        missing++;
                        find("missing", place(stream, partition, position));
                    }
                }
            }
        }
        String[] sides = {
            String.valueOf(ChaosRows.side(Stream.SIDE_A)),
            String.valueOf(ChaosRows.side(Stream.SIDE_B))
        };
        for (List<String> row : table) {
            if (!Arrays.asList(sides).contains(row.get(0))) {
                wrong++;
                find("wrong", "a row of no stream: " + row);
            }
        }
    }

    private void insert(Stream stream, byte[][] times, List<String> row) {
        int partition = Integer.parseInt(Objects.requireNonNullElse(row.get(1), "-1"));
        long position = Long.parseLong(Objects.requireNonNullElse(row.get(2), "-1"));
        if (partition < 0 || partition >= ChaosRows.PARTITIONS || position < 0 || position >= end) {
            wrong++;
            find("wrong", "a row that was never sent: " + row);
        } else {
            int copies = ++times[partition][(int) position];
            if (copies > 1) {
                doubled++;
                if (copies <= most.of(stream, partition, position)) {
                    doubledAllowed++;
                } else {
                    find("doubled", place(stream, partition, position));
                }
            }
            check(row, partition, position, rows.text(stream, partition, position));
        }
    }

    private void check(List<String> row, int partition, long position, String text) {
        List<String> expected =
                Arrays.asList(
                        row.get(0), String.valueOf(partition), String.valueOf(position), text);
        if (!expected.equals(row)) {
            wrong++;
            find("wrong", row + " instead of " + expected);
        }
    }

    private static String place(Stream stream, int partition, long position) {
        return stream.operator() + ", partition " + partition + ", position " + position;
    }

    private void find(String what, String where) {
        if (findings.size() < SHOWN) {
            findings.add(what + ": " + where);
        }
    }
}
