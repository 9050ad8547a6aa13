package org.apache.doris.flink.sink.writer;

import org.apache.doris.flink.sink.committer.Abandoned;
import org.apache.doris.flink.sink.transaction.Label;
import org.apache.doris.flink.sink.transaction.LabelSeries;
import org.apache.doris.flink.sink.transaction.LabelState;
import org.apache.doris.flink.sink.transaction.Pause;
import org.apache.doris.flink.sink.transaction.Transactions;
import org.apache.doris.flink.sink.transaction.Transactions.OnFailure;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Loads that earlier attempts left behind: aborts those that can never be committed and refuses to
 * go on where one was committed that the restored state does not know of. Why each series is walked
 * or only read: docs/exactly-once.md, Recovery.
 */
final class LingeringLoads {

    private static final Logger LOG = LoggerFactory.getLogger(LingeringLoads.class);

    /** Attempts before this one that are cleaned up. */
    private static final int MOST_ATTEMPTS = 32;

    /** Attempts ahead of a number that are looked at. */
    private static final int MOST_AHEAD = 16;

    /** Inherited states passed on at most. */
    private static final int MOST_INHERITED = 64;

    /** How long Doris remembers the label of a Stream Load, unless it was configured otherwise. */
    static final Duration LABEL_RETENTION = Duration.ofHours(12);

    private final WriterIdentity own;
    private final boolean prefixGiven;
    private final List<WriterState> restored;
    private final Transactions transactions;
    private final long wallMillis;
    private final Set<List<String>> unswept = new LinkedHashSet<>();
    private boolean warnedOfOldPrefix;

    /**
     * @param prefixGiven whether the user chose the prefix, so that another one in the state is a
     *     changed one
     * @param wallMillis wall clock of now
     */
    LingeringLoads(
            WriterIdentity own,
            boolean prefixGiven,
            Collection<WriterState> restored,
            Transactions transactions,
            long wallMillis) {
        this.own = own;
        this.prefixGiven = prefixGiven;
        this.restored = List.copyOf(restored);
        this.transactions = transactions;
        this.wallMillis = wallMillis;
    }

    /** Warnings about the restored state as a whole; once at the start. */
    void warn() {
        restored.stream()
                .filter(state -> !state.inherited() && isPastRetention(state))
                .findFirst()
                .ifPresent(
                        state ->
                                LOG.warn(
                                        "The restored state of the sink is {} old. Doris forgets"
                                            + " labels after {} or 2000 loads of a database, so it"
                                            + " cannot be proved that this state is the newest: if"
                                            + " the job went on after it, rows are written a second"
                                            + " time.",
                                        Duration.ofMillis(wallMillis - state.wallMillis()),
                                        LABEL_RETENTION));
        restored.stream()
                .filter(this::isOfOldPrefix)
                .findFirst()
                .ifPresent(
                        state ->
                                LOG.warn(
                                        "'sink.label-prefix' is '{}', the restored state was"
                                            + " written under '{}'. Loads under the former prefix"
                                            + " are only cleaned up; that this state is the newest"
                                            + " is not checked.",
                                        own.prefix(),
                                        state.prefix()));
    }

    /**
     * Looks for conflicts in all tables that the restored states name, whether they get rows or
     * not; before the task runs. Aborts nothing: see {@link #sweep}.
     */
    void checkRestoredTables(Pause pause) throws IOException, InterruptedException {
        List<Walk> walks = new ArrayList<>();
        for (WriterState state : restored) {
            for (WriterState.Table table : state.tables()) {
                if (!state.inherited() && unswept.add(List.of(table.database(), table.name()))) {
                    walks.addAll(earlier(table.database(), table.name()));
                }
            }
        }
        read(walks, pause);
    }

    /**
     * Looks for conflicts in a table; before its first load in this attempt. Aborts nothing: see
     * {@link #sweep}.
     *
     * @return how far this attempt's own series is in use already
     */
    Found find(String database, String table, Pause pause)
            throws IOException, InterruptedException {
        // Their labels may belong to an attempt that is ahead of this one: they are only read.
        Walk ownWalk = new Walk(own.series(database, table, own.attempt()).from(0), table, false);
        List<Walk> onlyRead = new ArrayList<>(List.of(ownWalk));
        for (int attempt : attemptsAhead()) {
            onlyRead.add(new Walk(own.series(database, table, attempt).from(0), table, false));
        }
        List<Walk> all = new ArrayList<>(earlier(database, table));
        all.addAll(onlyRead);
        read(all, pause);
        for (Walk walk : onlyRead) {
            walk.open().forEach((label, state) -> logOpen(label, state, "stepping over it"));
        }
        unswept.add(List.of(database, table));
        return new Found(ownWalk.states.size(), ownWalk.open().keySet());
    }

    /**
     * Aborts what earlier attempts left open in the tables that were searched; when a barrier
     * arrives, not before. Then all subtasks run, so none of them found a conflict: had one found
     * the savepoint half committed from which the job must be started, its other half would be gone
     * by now.
     *
     * <p>All states are read before the first load is aborted, so that nothing is when there is a
     * conflict. A load that is committed in between is one as well: its abort reports that.
     */
    void sweep(Pause pause) throws IOException, InterruptedException {
        if (unswept.isEmpty()) {
            return;
        }
        List<Walk> walks = new ArrayList<>();
        unswept.forEach(table -> walks.addAll(earlier(table.get(0), table.get(1))));
        try {
            read(walks, pause);
            Map<Label, Walk> left = new LinkedHashMap<>();
            for (Walk walk : walks) {
                walk.open()
                        .forEach(
                                (label, state) -> {
                                    logOpen(label, state, "left by an earlier attempt, aborting");
                                    left.put(label, walk);
                                });
            }
            abort(left, pause);
            unswept.clear();
        } catch (LabelConflict e) {
            throw e;
        } catch (IOException e) {
            LOG.warn("Loads that earlier attempts left could not be aborted; tried again.", e);
        }
    }

    private void abort(Map<Label, Walk> left, Pause pause)
            throws IOException, InterruptedException {
        if (left.isEmpty()) {
            return;
        }
        List<Label> labels = List.copyOf(left.keySet());
        List<Transactions.Answer<Transactions.AbortOutcome>> outcomes =
                Pause.await(transactions.abort(labels, OnFailure.END_CALL), pause);
        for (int i = 0; i < labels.size(); i++) {
            if (outcomes.get(i).get() == Transactions.AbortOutcome.FINISHED) {
                finished(left.get(labels.get(i)), labels.get(i), LabelState.COMMITTED);
            }
        }
    }

    /** Reads the states of series; a committed load is a conflict, or a warning. */
    private void read(List<Walk> walks, Pause pause) throws IOException, InterruptedException {
        if (walks.isEmpty()) {
            return;
        }
        List<LabelSeries.Tail> series = new ArrayList<>();
        walks.forEach(walk -> series.add(walk.series));
        // Nothing is done after a conflict, so that what lies behind it need not be read.
        boolean pastFinished = walks.stream().anyMatch(walk -> walk.lenient);
        Iterator<Transactions.Answer<List<LabelState>>> answers =
                Pause.await(transactions.series(series, pastFinished, OnFailure.END_CALL), pause)
                        .iterator();
        for (Walk walk : walks) {
            walk.states = answers.next().get();
            for (int i = 0; i < walk.states.size(); i++) {
                if (walk.states.get(i).isFinished()) {
                    finished(walk, walk.series.label(i), walk.states.get(i));
                }
            }
        }
    }

    private void finished(Walk walk, Label label, LabelState state) throws IOException {
        String database = label.database();
        if (!walk.lenient) {
            throw LabelConflict.found(own, database, walk.table, label.label(), state);
        }
        if (!warnedOfOldPrefix) {
            warnedOfOldPrefix = true;
            LOG.warn(
                    "Label {} of database {}, under the former prefix, is {}: the restored state is"
                            + " not the newest, and rows of table {}.{} are written a second time.",
                    label,
                    database,
                    state,
                    database,
                    walk.table);
        }
    }

    private static void logOpen(Label label, LabelState state, String action) {
        LOG.info("Label {} of database {} is {}: {}.", label, label.database(), state, action);
    }

    /** Walks over what was begun before this attempt and is in no completed checkpoint. */
    private Collection<Walk> earlier(String database, String table) {
        Map<LabelSeries, Walk> walks = new LinkedHashMap<>();
        for (WriterState state : restored) {
            Optional<WriterState.Table> known = state.table(database, table);
            LabelSeries series = seriesOf(state, database, table, state.epoch(), state.attempt());
            long first = known.map(WriterState.Table::next).orElse(0L);
            walks.put(series, new Walk(series.from(first), table, isOfOldPrefix(state)));
        }
        for (int attempt : attemptsBefore(own.attempt(), ownState())) {
            LabelSeries series = own.series(database, table, attempt);
            walks.put(series, new Walk(series.from(0), table, false));
        }
        return walks.values();
    }

    /**
     * What subtasks left behind that this job no longer has: aborted once more after the first
     * checkpoint, since no later attempt looks for their labels again.
     */
    Abandoned ofVanishedSubtasks() {
        List<LabelSeries.Tail> series = new ArrayList<>();
        for (WriterState state : restored) {
            if (state.inherited() || state.subtask() < own.parallelism()) {
                continue;
            }
            for (WriterState.Table table : state.tables()) {
                series.add(
                        seriesOf(
                                        state,
                                        table.database(),
                                        table.name(),
                                        state.epoch(),
                                        state.attempt())
                                .from(table.next()));
                for (int attempt : attemptsBefore(own.attempt(), Optional.of(state))) {
                    series.add(
                            seriesOf(state, table.database(), table.name(), own.epoch(), attempt)
                                    .from(0));
                }
            }
        }
        return new Abandoned(List.of(), series);
    }

    /**
     * States to pass on in the next snapshots of a sink of many tables: a table that comes later is
     * still to be looked for under them. Those past the label retention are of no use.
     */
    List<WriterState> inherited() {
        List<WriterState> states = new ArrayList<>();
        for (int attempt : attemptsBefore(own.attempt(), ownState())) {
            states.add(
                    new WriterState(
                            own.prefix(),
                            own.subtask(),
                            own.parallelism(),
                            own.epoch(),
                            attempt,
                            wallMillis,
                            true,
                            List.of()));
        }
        restored.stream()
                .filter(state -> !isPastRetention(state))
                .sorted((a, b) -> Long.compare(b.wallMillis(), a.wallMillis()))
                .limit(MOST_INHERITED - states.size())
                .map(WriterState::asInherited)
                .forEach(states::add);
        return states;
    }

    private Optional<WriterState> ownState() {
        return restored.stream()
                .filter(state -> !state.inherited() && state.subtask() == own.subtask())
                .findFirst();
    }

    /** Attempts of this epoch that came before this one and after the one in the state. */
    private static List<Integer> attemptsBefore(int attempt, Optional<WriterState> state) {
        int first = state.map(s -> s.attempt() + 1).orElse(0);
        List<Integer> attempts = new ArrayList<>();
        for (int i = Math.max(first, attempt - MOST_ATTEMPTS); i < attempt; i++) {
            attempts.add(i);
        }
        return attempts;
    }

    /**
     * Attempts with higher numbers, unless the state proves that there are none: the numbers began
     * anew since it was taken, or there is no state to tell. Of these attempts it is not known
     * whether they came before this one.
     */
    private Set<Integer> attemptsAhead() {
        Set<Integer> attempts = new LinkedHashSet<>();
        int known = ownState().map(WriterState::attempt).orElse(own.attempt());
        if (own.attempt() <= known) {
            addFrom(attempts, own.attempt() + 1);
            addFrom(attempts, known + 1);
        }
        return attempts;
    }

    private static void addFrom(Set<Integer> attempts, int first) {
        for (int i = 0; i < MOST_AHEAD; i++) {
            attempts.add(first + i);
        }
    }

    private LabelSeries seriesOf(
            WriterState state, String database, String table, long epoch, int attempt) {
        String op =
                state.table(database, table)
                        .map(WriterState.Table::op)
                        .filter(text -> !text.isEmpty())
                        .orElseGet(
                                () ->
                                        LabelShape.op(
                                                own.operatorId(), state.prefix(), database, table));
        return LabelShape.twoPhase(
                state.prefix(), database, table, state.subtask(), op, epoch, attempt);
    }

    private boolean isOfOldPrefix(WriterState state) {
        return prefixGiven && !state.prefix().equals(own.prefix());
    }

    private boolean isPastRetention(WriterState state) {
        return wallMillis - state.wallMillis() > LABEL_RETENTION.toMillis();
    }

    /** What the walk of this attempt's own series found. */
    static final class Found {

        private final long firstFree;
        private final List<Label> held;

        private Found(long firstFree, Collection<Label> held) {
            this.firstFree = firstFree;
            this.held = List.copyOf(held);
        }

        /** The first unused number. */
        long firstFree() {
            return firstFree;
        }

        /** Labels below it that somebody holds open; to be abandoned. */
        List<Label> held() {
            return held;
        }
    }

    /** A series to be read, and what it held. */
    private static final class Walk {

        private final LabelSeries.Tail series;
        private final String table;
        private final boolean lenient;
        private List<LabelState> states;

        /**
         * @param lenient whether a committed load is worth a warning only
         */
        private Walk(LabelSeries.Tail series, String table, boolean lenient) {
            this.series = series;
            this.table = table;
            this.lenient = lenient;
        }

        /** Labels of loads that are under way or pre-committed, in their order. */
        private Map<Label, LabelState> open() {
            Map<Label, LabelState> open = new LinkedHashMap<>();
            for (int i = 0; i < states.size(); i++) {
                if (states.get(i).isOpen()) {
                    open.put(series.label(i), states.get(i));
                }
            }
            return open;
        }
    }
}
