package org.apache.doris.flink.sink.writer;

import org.apache.doris.flink.error.ErrorCode;
import org.apache.doris.flink.error.NativeException;
import org.apache.doris.flink.jni.Load;
import org.apache.doris.flink.jni.SinkMetrics;
import org.apache.doris.flink.sink.transaction.FakeDoris;
import org.apache.doris.flink.sink.transaction.FakeDoris.LabelInUse;
import org.apache.doris.flink.sink.transaction.PendingCall;
import org.apache.doris.flink.sink.transaction.Transactions;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Loads into a {@link FakeDoris}, with labels as the client core gives them: a label that somebody
 * holds open is stepped over, one that is finished fails the load.
 */
final class FakeLoadClient implements LoadClient {

    final FakeDoris doris;
    final List<FakeLoad> opened = new ArrayList<>();

    /** What happens to the coming loads, by table; empty for nothing. */
    final Map<String, LoadFault> faults = new LinkedHashMap<>();

    /** Tables asked for. */
    final List<String> checked = new ArrayList<>();

    boolean twoPhase = true;

    /** Whether a load stands for all loads of a table. */
    boolean batch;

    boolean unique = true;
    int[] keyFields = {0};

    /** What the server says instead of describing a table; null for nothing. */
    IOException checkFailure;

    boolean closed;

    /** Figures that the server adds to its answers. */
    Map<String, String> figures = Map.of();

    private static FakeLoadClient newest;

    FakeLoadClient(FakeDoris doris) {
        this.doris = doris;
        newest = this;
    }

    /** The client made last, also that of a writer that could not start. */
    static FakeLoadClient last() {
        return newest;
    }

    /** What happens to a load. */
    enum LoadFault {
        /** The server refuses it for its data. */
        REFUSED,
        /** It is loaded, the answer is lost, and what follows succeeds. */
        ANSWER_LOST,
        /** No place in the ring, ever. */
        NO_PLACE,
        /** The answer does not come. */
        NO_ANSWER,
        /** The answer names no transaction. */
        NO_TRANSACTION
    }

    /** Loads that are open now. */
    long open() {
        return opened.stream().filter(load -> !load.closed).count();
    }

    @Override
    public Load open(
            String database, String table, String labelBase, long next, boolean deleteSign) {
        FakeLoad load = new FakeLoad(database, table, labelBase, next);
        opened.add(load);
        return load;
    }

    @Override
    public PendingCall<TableCheck> check(String database, String table) {
        checked.add(database + "." + table);
        return new PendingCall<>() {
            @Override
            public boolean await(long millis) {
                return true;
            }

            @Override
            public TableCheck result() throws IOException {
                if (checkFailure != null) {
                    throw checkFailure;
                }
                return new TableCheck(unique, unique, keyFields);
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public Transactions transactions() {
        return doris;
    }

    @Override
    public SinkMetrics metrics() {
        return closed ? SinkMetrics.NONE : new SinkMetrics(7, 5, 12, open());
    }

    @Override
    public void close() {
        closed = true;
    }

    /** One buffer as it was handed over. */
    static final class Submitted {

        final ByteBuffer body;
        final long rows;
        final long[] layout;

        private Submitted(ByteBuffer body, long rows, long[] layout) {
            this.body = body;
            this.rows = rows;
            this.layout = layout;
        }
    }

    /** One load. */
    final class FakeLoad implements Load {

        final String database;
        final String table;
        final StringBuilder body = new StringBuilder();
        final List<Submitted> batches = new ArrayList<>();
        private final String base;
        private final List<String> skipped = new ArrayList<>();
        private long number;
        private long id = -1;
        private long rows;
        private ByteBuffer buffer;
        private final Deque<Map<String, String>> ended = new ArrayDeque<>();
        private Map<String, String> outcome;
        private IOException failure;
        private boolean finished;
        private boolean closed;

        private FakeLoad(String database, String table, String base, long next) {
            this.database = database;
            this.table = table;
            this.base = base;
            this.number = next;
        }

        /** Breaks it. */
        void fail(IOException reason) {
            failure = reason;
        }

        private LoadFault fault() {
            return faults.get(database + "." + table);
        }

        @Override
        public ByteBuffer acquire(long bytes, long millis) throws IOException {
            check();
            if (fault() == LoadFault.NO_PLACE) {
                pass(millis);
                return null;
            }
            if (buffer != null) {
                throw new AssertionError("a second buffer");
            }
            buffer = ByteBuffer.allocate((int) bytes).order(ByteOrder.LITTLE_ENDIAN);
            return buffer;
        }

        @Override
        public void submit(long count, long[] layout) throws IOException {
            check();
            batches.add(new Submitted(buffer, count, layout));
            if (layout.length == 1) {
                body.append(new String(buffer.array(), 0, (int) layout[0], StandardCharsets.UTF_8));
            }
            buffer = null;
            rows += count;
            if (id < 0) {
                begin();
            }
        }

        private void begin() throws IOException {
            while (true) {
                try {
                    id = doris.begin(database, table, base + number);
                    return;
                } catch (LabelInUse e) {
                    if (e.state().isFinished()) {
                        failure =
                                new NativeException(
                                        ErrorCode.LABEL,
                                        "Label " + base + number + " is " + e.state(),
                                        e);
                        throw failure;
                    }
                    skip();
                }
            }
        }

        private void skip() {
            skipped.add(base + number);
            number++;
        }

        @Override
        public void finish() throws IOException {
            check();
            if (batch && id < 0) {
                return;
            }
            finished = true;
            if (fault() == LoadFault.REFUSED) {
                doris.rollBack(id);
                failure = new IOException("too many filtered rows");
                return;
            }
            if (fault() == LoadFault.NO_ANSWER) {
                return;
            }
            if (fault() == LoadFault.ANSWER_LOST) {
                faults.remove(database + "." + table);
                doris.preCommit(id, lines());
                // It is PRECOMMITTED, so that the same rows go out under the next label.
                skip();
                begin();
            }
            if (twoPhase) {
                doris.preCommit(id, lines());
            } else {
                doris.publish(id, lines());
            }
            outcome = result();
            if (batch) {
                // The next rows are another load's.
                ended.add(outcome);
                outcome = null;
                finished = false;
                id = -1;
                rows = 0;
                number++;
                skipped.clear();
                body.setLength(0);
            }
        }

        @Override
        public Map<String, String> ended() {
            return ended.poll();
        }

        private List<String> lines() {
            return Arrays.asList(body.toString().split("\n"));
        }

        private void check() throws IOException {
            if (failure != null) {
                throw failure;
            }
            if (closed) {
                throw new IOException("closed");
            }
        }

        @Override
        public boolean await(long millis) throws IOException {
            check();
            if (batch) {
                if (id >= 0) {
                    pass(millis);
                }
                return id < 0;
            }
            if (outcome == null) {
                pass(millis);
            }
            return outcome != null;
        }

        @Override
        public Map<String, String> result() {
            Map<String, String> values = new LinkedHashMap<>(figures);
            values.put("label", base + number);
            if (fault() != LoadFault.NO_TRANSACTION) {
                values.put("txn.id", String.valueOf(id));
            }
            values.put("next", String.valueOf(number + 1));
            values.put("rows", String.valueOf(rows));
            values.put("sent.bytes", String.valueOf(body.length()));
            values.put("retries", String.valueOf(skipped.size()));
            values.put("skipped.count", String.valueOf(skipped.size()));
            for (int i = 0; i < skipped.size(); i++) {
                values.put("skipped." + i, skipped.get(i));
            }
            return values;
        }

        @Override
        public void close() {
            closed = true;
            if (!finished && id >= 0) {
                doris.rollBack(id);
            }
        }

        private void pass(long millis) {
            try {
                Thread.sleep(Math.min(millis, 1));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
