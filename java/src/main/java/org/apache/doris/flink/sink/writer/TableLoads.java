package org.apache.doris.flink.sink.writer;

import org.apache.doris.flink.sink.transaction.Label;
import org.apache.doris.flink.sink.transaction.LabelSeries;
import org.apache.doris.flink.sink.transaction.Pause;
import org.apache.doris.flink.sink.transaction.Transactions.OnFailure;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The loads of one writer: at most one open per table, in batch mode one after the other, and only
 * while the table has rows in this checkpoint. Of a table without rows only its label number and
 * the properties of the table are kept.
 */
final class TableLoads implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(TableLoads.class);
    private static final Duration LONGEST_DROP = Duration.ofSeconds(5);

    private final WriterIdentity identity;
    private final boolean twoPhase;
    private final boolean batch;
    private final String randomId = LabelShape.randomId();
    private final LoadClient client;
    private final LingeringLoads lingering;
    private final WriterMetrics metrics;
    private final Map<String, Map<String, Entry>> tables = new LinkedHashMap<>();
    private final Map<Entry, TableLoad> open = new LinkedHashMap<>();
    private final List<Label> stepped = new ArrayList<>();

    private Pause pause = Pause.INTERRUPTS;

    /**
     * @param lingering null without two-phase commit: then no label of another attempt is looked at
     * @param batch whether a table has several loads, one after the other, until {@link #finish}
     */
    TableLoads(
            WriterIdentity identity,
            LoadClient client,
            LingeringLoads lingering,
            boolean batch,
            WriterMetrics metrics) {
        this.identity = identity;
        this.twoPhase = lingering != null;
        this.batch = batch;
        this.client = client;
        this.lingering = lingering;
        this.metrics = metrics;
    }

    /** What is to be done between slices of waits from now on. */
    void setPause(Pause pause) {
        this.pause = pause;
    }

    /**
     * The properties of a table; the first call reads them from the server and cleans up after
     * earlier runs.
     */
    TableCheck check(String database, String table) throws IOException, InterruptedException {
        return entry(database, table).check;
    }

    /** The open load of a table, begun if there is none. */
    TableLoad of(String database, String table) throws IOException, InterruptedException {
        Entry entry = entry(database, table);
        TableLoad load = open.get(entry);
        if (load == null) {
            LabelSequence labels = entry.labels;
            load =
                    new TableLoad(
                            identity,
                            database,
                            table,
                            client.open(
                                    database,
                                    table,
                                    labels.series().base(),
                                    labels.next(),
                                    entry.check.deleteSign()),
                            batch,
                            () -> pause.pause(),
                            this::failed);
            open.put(entry, load);
        }
        return load;
    }

    /**
     * Ends all open loads and waits for their outcomes. If one fails, none of the others is left
     * behind for a commit that will not come.
     */
    List<Finished> finish() throws IOException, InterruptedException {
        List<Finished> finished = new ArrayList<>();
        try {
            for (TableLoad load : open.values()) {
                load.finish();
            }
            for (Map.Entry<Entry, TableLoad> one : open.entrySet()) {
                Entry entry = one.getKey();
                for (LoadOutcome outcome : one.getValue().await()) {
                    long number = number(entry, outcome);
                    finished.add(new Finished(entry.database, entry.table, number, outcome));
                    metrics.succeeded(one.getValue(), outcome);
                }
            }
        } catch (IOException | RuntimeException e) {
            drop(e);
            throw e;
        }
        close();
        return finished;
    }

    /** In batch mode: counts the loads that ended meanwhile, and throws the failure of one. */
    void poll() throws IOException {
        if (batch) {
            for (Map.Entry<Entry, TableLoad> one : open.entrySet()) {
                TableLoad load = one.getValue();
                for (LoadOutcome outcome : load.ended()) {
                    number(one.getKey(), outcome);
                    metrics.succeeded(load, outcome);
                }
                load.check();
            }
        }
    }

    private void failed(TableLoad load) {
        try {
            for (LoadOutcome outcome : batch ? load.ended() : List.<LoadOutcome>of()) {
                metrics.succeeded(load, outcome);
            }
        } catch (IOException e) {
            LOG.warn("The loads before a failed one could not be counted.", e);
        }
        metrics.failed(load);
    }

    /** The number under which the rows were loaded; moves the table's series on. */
    private long number(Entry entry, LoadOutcome outcome) throws IOException {
        if (!twoPhase && outcome.number("next").isEmpty()) {
            // Group commit has no labels.
            return entry.labels.next();
        }
        long number = outcome.next() - 1;
        String label = entry.labels.series().label(number);
        if (twoPhase && !outcome.label().equals(label)) {
            throw new IOException(
                    String.format(
                            "A load of table %s.%s ended under label %s instead of %s.",
                            entry.database, entry.table, outcome.label(), label));
        }
        entry.labels.advance(outcome.next());
        return number;
    }

    /** Labels stepped over since the last call, apart from those of finished loads. */
    List<Label> takeStepped() {
        List<Label> taken = List.copyOf(stepped);
        stepped.clear();
        return taken;
    }

    /** How far each table got. */
    List<WriterState.Table> snapshot() {
        List<WriterState.Table> states = new ArrayList<>();
        for (Map<String, Entry> ofDatabase : tables.values()) {
            for (Entry entry : ofDatabase.values()) {
                states.add(
                        new WriterState.Table(
                                entry.database,
                                entry.table,
                                entry.labels.op(),
                                entry.labels.next()));
            }
        }
        return states;
    }

    /** Frees all open loads; those that are not finished are dropped by the server. */
    @Override
    public void close() {
        open.values().forEach(TableLoad::close);
        open.clear();
    }

    private Entry entry(String database, String table) throws IOException, InterruptedException {
        Map<String, Entry> ofDatabase = tables.get(database);
        Entry entry = ofDatabase == null ? null : ofDatabase.get(table);
        if (entry == null) {
            entry = prepare(database, table);
            tables.computeIfAbsent(database, key -> new LinkedHashMap<>()).put(table, entry);
        }
        return entry;
    }

    private Entry prepare(String database, String table) throws IOException, InterruptedException {
        TableCheck check = Pause.await(client.check(database, table), pause);
        if (!twoPhase) {
            LabelSeries series =
                    LabelShape.onePhase(
                            identity.prefix(), database, table, identity.subtask(), randomId);
            return new Entry(database, table, check, new LabelSequence(series, "", 0));
        }
        LingeringLoads.Found found = lingering.find(database, table, pause);
        stepped.addAll(found.held());
        LabelSequence labels =
                new LabelSequence(
                        identity.series(database, table, identity.attempt()),
                        identity.op(database, table),
                        found.firstFree());
        return new Entry(database, table, check, labels);
    }

    /** Undoes what the loads of this checkpoint did, as far as it can be done quickly. */
    private void drop(Exception failure) {
        List<Label> labels = new ArrayList<>();
        for (TableLoad load : open.values()) {
            LoadOutcome outcome = twoPhase ? load.peek() : null;
            if (outcome != null) {
                labels.add(new Label(load.database(), outcome.label()));
            }
        }
        close();
        if (labels.isEmpty()) {
            return;
        }
        long deadline = System.nanoTime() + LONGEST_DROP.toNanos();
        try {
            Pause.await(
                    client.transactions().abort(labels, OnFailure.END_CALL),
                    () -> {
                        Pause.checkInterrupt();
                        if (System.nanoTime() - deadline > 0) {
                            throw new InterruptedIOException("aborting took too long");
                        }
                    });
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            // The next attempt finds them by their labels.
            LOG.warn("Loads of a failed checkpoint could not be aborted at once.", e);
            failure.addSuppressed(e);
        }
    }

    /** A load that succeeded. */
    static final class Finished {

        private final String database;
        private final String table;
        private final long number;
        private final LoadOutcome outcome;

        private Finished(String database, String table, long number, LoadOutcome outcome) {
            this.database = database;
            this.table = table;
            this.number = number;
            this.outcome = outcome;
        }

        String database() {
            return database;
        }

        String table() {
            return table;
        }

        long number() {
            return number;
        }

        LoadOutcome outcome() {
            return outcome;
        }
    }

    /** A table that had rows in this attempt, or is the configured one. */
    private static final class Entry {

        private final String database;
        private final String table;
        private final TableCheck check;
        private final LabelSequence labels;

        private Entry(String database, String table, TableCheck check, LabelSequence labels) {
            this.database = database;
            this.table = table;
            this.check = check;
            this.labels = labels;
        }
    }
}
