package org.apache.doris.flink.sink.transaction;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Breaks, holds or precedes calls about transactions, chosen by their kind and label. */
public final class Faults {

    private final List<Fault> all = new ArrayList<>();

    /** Breaks calls until {@link #heal}: {@code kind} and label decide which. */
    public Fault add(BiPredicate<String, String> matches) {
        Fault fault = new Fault(matches);
        all.add(fault);
        return fault;
    }

    /** Ends all faults. */
    public void heal() {
        all.clear();
    }

    /** A call, broken if a fault says so. */
    public <T> PendingCall<T> call(String kind, String label, Begin<T> begin) throws IOException {
        return call(kind, Stream.of(label), begin);
    }

    /** A call about several labels, broken as a whole if a fault says so of one of them. */
    private <T> PendingCall<T> call(String kind, Stream<String> labels, Begin<T> begin)
            throws IOException {
        List<String> names = labels.collect(Collectors.toList());
        for (Fault fault : all) {
            if (fault.times > 0
                    && names.stream().anyMatch(label -> fault.matches.test(kind, label))) {
                fault.times--;
                return new Broken<>(begin, fault);
            }
        }
        return begin.begin();
    }

    /** Calls of other transactions, broken if a fault says so. */
    public Transactions over(Transactions sound) {
        return new Transactions() {
            @Override
            public PendingCall<LabelState> state(String database, String label) throws IOException {
                return call("state", label, () -> sound.state(database, label));
            }

            @Override
            public PendingCall<List<Transactions.Answer<List<LabelState>>>> series(
                    List<LabelSeries.Tail> series, boolean pastFinished, OnFailure onFailure)
                    throws IOException {
                return call(
                        "state",
                        series.stream().map(one -> one.label(0).label()),
                        () -> sound.series(series, pastFinished, onFailure));
            }

            @Override
            public PendingCall<List<Transactions.Answer<Transactions.AbortOutcome>>> abort(
                    List<Label> labels, OnFailure onFailure) throws IOException {
                return call(
                        "abort",
                        labels.stream().map(Label::label),
                        () -> sound.abort(labels, onFailure));
            }

            @Override
            public PendingCall<Transactions.CommitOutcome> commit(
                    String database, String table, long txnId, String label) throws IOException {
                return call("commit", label, () -> sound.commit(database, table, txnId, label));
            }
        };
    }

    /** Begins the call itself. */
    public interface Begin<T> {

        /** The sound call. */
        PendingCall<T> begin() throws IOException;
    }

    /** What breaks a call. */
    public static final class Fault {

        private final BiPredicate<String, String> matches;
        private int times = Integer.MAX_VALUE;
        private boolean answerLost;
        private boolean held;
        private boolean fails = true;
        private Runnable before = () -> {};

        private Fault(BiPredicate<String, String> matches) {
            this.matches = matches;
        }

        /** Strikes so often. */
        public Fault times(int number) {
            times = number;
            return this;
        }

        /** The server does what it was asked, then the answer is lost. */
        public Fault answerLost() {
            answerLost = true;
            return this;
        }

        /** The call does not end while this is set. */
        public Fault held(boolean value) {
            held = value;
            fails = false;
            return this;
        }

        /** Something that happens before the call is carried out, which then goes on. */
        public Fault before(Runnable action) {
            before = action;
            fails = false;
            return this;
        }
    }

    private static final class Broken<T> implements PendingCall<T> {

        private final Begin<T> begin;
        private final Fault fault;

        private Broken(Begin<T> begin, Fault fault) {
            this.begin = begin;
            this.fault = fault;
        }

        @Override
        public boolean await(long millis) {
            return !fault.held;
        }

        @Override
        public T result() throws IOException {
            fault.before.run();
            if (!fault.fails) {
                return sound();
            }
            if (fault.answerLost) {
                sound();
            }
            throw new IOException("connection reset");
        }

        private T sound() throws IOException {
            try {
                return Pause.await(begin.begin(), Pause.INTERRUPTS);
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }

        @Override
        public void close() {}
    }
}
