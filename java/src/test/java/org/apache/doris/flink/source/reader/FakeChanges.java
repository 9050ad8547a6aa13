package org.apache.doris.flink.source.reader;

import org.apache.doris.flink.config.SliceScheme;
import org.apache.doris.flink.source.split.ChangelogPosition;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;

/**
 * A table's change log and what the native core does with a window of it: rows of the slice in
 * order, those up to the position dropped, the dropped ones compared with the position's sums, and
 * all rows of its TSO repeated where they differ.
 */
final class FakeChanges {

    private static final Comparator<Row> ORDER =
            Comparator.<Row>comparingLong(row -> row.tso)
                    .thenComparingLong(row -> row.lsn)
                    .thenComparingInt(row -> row.operation);

    private final List<Row> log = new ArrayList<>();
    private final Queue<IOException> failures = new ArrayDeque<>();

    int batchSize = 2;
    int replayed;
    int mismatches;
    int delivered;
    int waits;
    int waited;

    /** One recorded change. */
    static final class Row {

        final long tso;
        final long lsn;
        final int operation;
        int value;
        final long partition;

        Row(long tso, long lsn, int operation, int value, long partition) {
            this.tso = tso;
            this.lsn = lsn;
            this.operation = operation;
            this.value = value;
            this.partition = partition;
        }

        long hash() {
            return (lsn * 31 + operation) * 1_000_003L + value * 0x9E3779B97F4A7C15L;
        }
    }

    /** A TSO of this millisecond. */
    static long tso(long millis, int counter) {
        return (millis << 18) + counter;
    }

    /** Records an insert in partition 1. */
    synchronized FakeChanges insert(long tso, long lsn, int value) {
        return change(tso, lsn, 0, value);
    }

    /** Records a change in partition 1. */
    synchronized FakeChanges change(long tso, long lsn, int operation, int value) {
        return change(tso, lsn, operation, value, 1);
    }

    /** Records a change. */
    synchronized FakeChanges change(long tso, long lsn, int operation, int value, long partition) {
        log.add(new Row(tso, lsn, operation, value, partition));
        return this;
    }

    /** Changes the value of a record, as if another replica told of it. */
    synchronized void replace(int value, int by) {
        log.stream().filter(row -> row.value == value).forEach(row -> row.value = by);
    }

    /** The next polls fail like this, one each. */
    synchronized void fail(IOException... failing) {
        failures.addAll(List.of(failing));
    }

    synchronized void failIfTold() throws IOException {
        if (!failures.isEmpty()) {
            throw failures.remove();
        }
    }

    /** A scan is new: its figures begin at 0. */
    synchronized void forgetFigures() {
        replayed = 0;
        mismatches = 0;
        delivered = 0;
        waits = 0;
        waited = 0;
    }

    /** All changes in the order of the log. */
    synchronized List<Row> ordered() {
        List<Row> rows = new ArrayList<>(log);
        rows.sort(ORDER);
        return rows;
    }

    /** What a scan hands out for a window, batch by batch. */
    synchronized List<List<Row>> read(WindowRequest request) {
        List<Row> rows = new ArrayList<>();
        for (Row row : log) {
            long millis = row.tso >> 18;
            boolean inside =
                    millis >= request.window().startMillis()
                            && millis < request.window().endMillis();
            if (inside && isOf(row, request)) {
                rows.add(row);
            }
        }
        rows.sort(ORDER);
        List<Row> rest =
                request.position().isPresent()
                        ? behind(rows, request.position().get(), request.verify())
                        : rows;
        delivered += rest.size();
        List<List<Row>> batches = new ArrayList<>();
        for (int from = 0; from < rest.size(); from += batchSize) {
            batches.add(rest.subList(from, Math.min(rest.size(), from + batchSize)));
        }
        return batches;
    }

    private List<Row> behind(List<Row> rows, ChangelogPosition position, boolean verify) {
        List<Row> rest = new ArrayList<>();
        List<Row> ofTso = new ArrayList<>();
        long at = position.rowsAtPosition();
        long count = 0;
        long sum = 0;
        int dropped = 0;
        for (Row row : rows) {
            if (row.tso == position.tso()) {
                ofTso.add(row);
            }
            if (row.tso < position.tso() || isDropped(row, position, at)) {
                boolean there = row.lsn == position.lsn() && row.operation == position.operation();
                if (row.tso == position.tso()) {
                    at -= there ? 1 : 0;
                    count++;
                    sum += row.hash();
                }
                dropped++;
            } else {
                rest.add(row);
            }
        }
        if (verify && count == position.rowsOfTso() && sum == position.hashSum()) {
            replayed += dropped;
            return rest;
        }
        mismatches++;
        List<Row> again = new ArrayList<>(ofTso);
        rows.stream().filter(row -> row.tso > position.tso()).forEach(again::add);
        return again;
    }

    private static boolean isDropped(Row row, ChangelogPosition position, long at) {
        if (row.tso != position.tso() || row.lsn > position.lsn()) {
            return false;
        }
        if (row.lsn < position.lsn()) {
            return true;
        }
        return row.operation < position.operation()
                || row.operation == position.operation() && at > 0;
    }

    private static boolean isOf(Row row, WindowRequest request) {
        SliceScheme scheme = request.scheme();
        return scheme.kind() == SliceScheme.Kind.PARTITIONS
                ? row.partition == request.slice()
                : Math.floorMod(row.value, scheme.count()) == request.slice();
    }
}
