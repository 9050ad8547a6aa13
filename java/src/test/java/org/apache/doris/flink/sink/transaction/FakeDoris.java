package org.apache.doris.flink.sink.transaction;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;

/**
 * Transactions and labels as Doris keeps them, in memory: a label is unique per database until its
 * load is aborted or purged, pre-committed loads expire, committed rows are readable in the order
 * of commits. Calls answer at once unless a test holds or breaks them.
 */
public final class FakeDoris implements Transactions {

    private final Map<Long, Txn> transactions = new LinkedHashMap<>();
    private final List<Txn> committed = new ArrayList<>();
    private final List<String> calls = new ArrayList<>();
    private final Faults faults = new Faults();
    private Duration now = Duration.ZERO;
    private Duration precommitTimeout = Duration.ofHours(1);
    private long nextId = 1000;

    /** Begins a load; fails with the state of the label when it is in use. */
    public long begin(String database, String table, String label) throws LabelInUse {
        Txn existing = newest(database, label);
        if (existing != null && existing.state != LabelState.ABORTED) {
            throw new LabelInUse(existing.state);
        }
        Txn txn = new Txn(nextId++, database, table, label);
        transactions.put(txn.id, txn);
        return txn.id;
    }

    /** The whole body of a load arrived. */
    public void preCommit(long id, List<String> rows) throws IOException {
        Txn txn = open(id);
        txn.rows = List.copyOf(rows);
        txn.state = LabelState.PRECOMMITTED;
        txn.since = now;
    }

    /** The load of a sink without two-phase commit ended. */
    public void publish(long id, List<String> rows) throws IOException {
        preCommit(id, rows);
        commit(transactions.get(id));
    }

    /** The connection of a load broke. */
    public void rollBack(long id) {
        Txn txn = transactions.get(id);
        if (txn.state == LabelState.PREPARE) {
            txn.state = LabelState.ABORTED;
        }
    }

    private Txn open(long id) throws IOException {
        Txn txn = transactions.get(id);
        if (txn.state != LabelState.PREPARE) {
            throw new IOException("transaction " + id + " is " + txn.state);
        }
        return txn;
    }

    private void commit(Txn txn) {
        txn.state = LabelState.VISIBLE;
        committed.add(txn);
    }

    @Override
    public PendingCall<LabelState> state(String database, String label) throws IOException {
        return call("state", label, () -> stateOf(database, label));
    }

    @Override
    public PendingCall<List<Transactions.Answer<List<LabelState>>>> series(
            List<LabelSeries.Tail> series, boolean pastFinished, OnFailure onFailure) {
        List<Faults.Begin<List<LabelState>>> parts = new ArrayList<>();
        series.forEach(one -> parts.add(() -> new Walk(one, pastFinished)));
        return new InTurn<>(parts, onFailure);
    }

    @Override
    public PendingCall<List<Transactions.Answer<Transactions.AbortOutcome>>> abort(
            List<Label> labels, OnFailure onFailure) {
        List<Faults.Begin<Transactions.AbortOutcome>> parts = new ArrayList<>();
        labels.forEach(one -> parts.add(() -> abort(one.database(), one.label())));
        return new InTurn<>(parts, onFailure);
    }

    private PendingCall<Transactions.AbortOutcome> abort(String database, String label)
            throws IOException {
        return call(
                "abort",
                label,
                () -> {
                    Txn txn = newest(database, label);
                    if (txn == null) {
                        return Transactions.AbortOutcome.NOT_FOUND;
                    }
                    if (txn.state.isFinished()) {
                        return Transactions.AbortOutcome.FINISHED;
                    }
                    txn.state = LabelState.ABORTED;
                    return Transactions.AbortOutcome.ABORTED;
                });
    }

    @Override
    public PendingCall<Transactions.CommitOutcome> commit(
            String database, String table, long txnId, String label) throws IOException {
        return call(
                "commit",
                label,
                () -> {
                    Txn txn = transactions.get(txnId);
                    if (txn == null) {
                        throw new TransactionGone(
                                "transaction [" + txnId + "] not found", false, null);
                    }
                    if (txn.state.isFinished()) {
                        return new Transactions.CommitOutcome(true, 0);
                    }
                    if (txn.state != LabelState.PRECOMMITTED) {
                        throw new TransactionGone(
                                "transaction ["
                                        + txnId
                                        + "] is already aborted. abort reason: User Abort",
                                true,
                                null);
                    }
                    commit(txn);
                    return new Transactions.CommitOutcome(false, 0);
                });
    }

    /** State of a label as the server would tell it. */
    public LabelState stateOf(String database, String label) {
        Txn txn = newest(database, label);
        return txn == null ? LabelState.UNKNOWN : txn.state;
    }

    /** Rows of a table in the order of their versions. */
    public List<String> rows(String database, String table) {
        return committed.stream()
                .filter(txn -> txn.database.equals(database) && txn.table.equals(table))
                .flatMap(txn -> txn.rows.stream())
                .collect(Collectors.toList());
    }

    /** Labels in a state, in the order of their transactions. */
    public List<String> labels(LabelState state) {
        return transactions.values().stream()
                .filter(txn -> txn.state == state)
                .map(txn -> txn.label)
                .collect(Collectors.toList());
    }

    /** Transactions that are neither committed nor aborted. */
    public List<String> openLabels() {
        return transactions.values().stream()
                .filter(txn -> txn.state.isOpen())
                .map(txn -> txn.label)
                .collect(Collectors.toList());
    }

    /** All transactions ever begun. */
    public int count() {
        return transactions.size();
    }

    /** Calls so far, such as {@code abort label}. */
    public List<String> calls() {
        return List.copyOf(calls);
    }

    /** Forgets the calls. */
    public void forgetCalls() {
        calls.clear();
    }

    /** Lets time pass; pre-committed loads expire. */
    public void advance(Duration time) {
        now = now.plus(time);
        for (Txn txn : transactions.values()) {
            if (txn.state == LabelState.PRECOMMITTED
                    && now.minus(txn.since).compareTo(precommitTimeout) > 0) {
                txn.state = LabelState.ABORTED;
            }
        }
    }

    /** Time since the server began. */
    public Duration now() {
        return now;
    }

    /** Forgets the labels of ended loads, as Doris does after a while. */
    public void purge() {
        transactions.values().removeIf(txn -> !txn.state.isOpen());
    }

    /** Undoes a pre-committed load, as an administrator may. */
    public void kill(String database, String label) {
        newest(database, label).state = LabelState.ABORTED;
    }

    /** Breaks calls until {@link #heal}: {@code kind} and label decide which. */
    public Faults.Fault fault(BiPredicate<String, String> matches) {
        return faults.add(matches);
    }

    /** Ends all faults. */
    public void heal() {
        faults.heal();
    }

    private Txn newest(String database, String label) {
        Txn found = null;
        for (Txn txn : transactions.values()) {
            if (txn.database.equals(database) && txn.label.equals(label)) {
                found = txn;
            }
        }
        return found;
    }

    private <T> PendingCall<T> call(String kind, String label, Action<T> action)
            throws IOException {
        calls.add(kind + " " + label);
        return faults.call(kind, label, () -> new Call<>(action));
    }

    /** The label is in use. */
    public static final class LabelInUse extends Exception {

        private static final long serialVersionUID = 1L;

        private final LabelState state;

        private LabelInUse(LabelState state) {
            super("Label Already Exists, " + state);
            this.state = state;
        }

        /** What became of the load that has it. */
        public LabelState state() {
            return state;
        }
    }

    /** States of one series, asked for one after the other. */
    private final class Walk implements PendingCall<List<LabelState>> {

        private final LabelSeries.Tail series;
        private final boolean pastFinished;
        private final List<LabelState> states = new ArrayList<>();
        private PendingCall<LabelState> call;
        private IOException failure;
        private boolean ended;

        private Walk(LabelSeries.Tail series, boolean pastFinished) {
            this.series = series;
            this.pastFinished = pastFinished;
        }

        @Override
        public boolean await(long millis) {
            try {
                while (!ended && failure == null) {
                    if (call == null) {
                        Label label = series.label(states.size());
                        call = state(label.database(), label.label());
                    }
                    if (!call.await(millis)) {
                        return false;
                    }
                    arrived(call.result());
                    call = null;
                }
            } catch (IOException e) {
                failure = e;
            }
            return true;
        }

        private void arrived(LabelState state) {
            if (state == LabelState.UNKNOWN) {
                ended = true;
            } else {
                states.add(state);
                ended = state.isFinished() && !pastFinished;
            }
        }

        @Override
        public List<LabelState> result() throws IOException {
            if (failure != null) {
                throw failure;
            }
            return states;
        }

        @Override
        public void close() {}
    }

    private interface Action<T> {
        T run() throws IOException;
    }

    private static final class Call<T> implements PendingCall<T> {

        private final Action<T> action;

        private Call(Action<T> action) {
            this.action = action;
        }

        @Override
        public boolean await(long millis) {
            return true;
        }

        @Override
        public T result() throws IOException {
            return action.run();
        }

        @Override
        public void close() {}
    }

    private static final class Txn {

        private final long id;
        private final String database;
        private final String table;
        private final String label;
        private LabelState state = LabelState.PREPARE;
        private List<String> rows = List.of();
        private Duration since = Duration.ZERO;

        private Txn(long id, String database, String table, String label) {
            this.id = id;
            this.database = database;
            this.table = table;
            this.label = label;
        }
    }
}
