package org.apache.doris.flink.chaos.changelog;

import org.apache.doris.flink.it.Json;
import org.apache.doris.flink.it.MysqlPort;
import org.apache.doris.flink.it.Standin;
import org.apache.doris.flink.it.StreamLoad;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Programs that change the table all the time and at the same time: statements through MySQL,
 * loads, partial updates and deletes over HTTP, transactions of two phases that stay open for a
 * while and are committed or aborted. What a failed write did is the server's to know: a run
 * compares with the server's log, not with what was sent.
 */
final class Writers implements Closeable {

    private static final int KEYS = 400;
    private static final int LONGEST_PAUSE_MILLIS = 60;
    private static final int LONGEST_HOLD_MILLIS = 1500;
    private static final int DECISION_TRIES = 100;

    private static final String[] PIECES = {"a", "Z", " ", "é", "中", "😀", "\"", "\\", ",", "NULL"};

    private final Standin doris;
    private final FollowedTable table;
    private final List<Thread> threads = new ArrayList<>();
    private final CopyOnWriteArrayList<Integer> partitions = new CopyOnWriteArrayList<>();
    private final AtomicLong numbers = new AtomicLong();
    private final AtomicLong writes = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();
    private final Object turn = new Object();
    private boolean paused;
    private int busy;
    private boolean closed;

    private interface Write {
        void run(Random random) throws IOException;
    }

    Writers(Standin doris, FollowedTable table) {
        this.doris = doris;
        this.table = table;
        for (int i = 0; i < FollowedTable.PARTITIONS; i++) {
            partitions.add(i);
        }
    }

    /** Starts one thread for each way to write. */
    void start(long seed) {
        start("statements", seed, new Statements());
        start(
                "loads",
                seed + 1,
                random -> loads(random).load(rows(random, 1 + random.nextInt(60))));
        start("held", seed + 2, this::held);
        start("held-too", seed + 3, this::held);
        start("deletes", seed + 4, this::deleteOrUpdate);
    }

    /** Rows that are there before the job. */
    void fill(long seed) throws IOException {
        Random random = new Random(seed);
        for (int i = 0; i < 20; i++) {
            loads(random).load(rows(random, 50));
        }
    }

    /** Stops writing and waits until nothing of it is open at the server. */
    void pause() throws InterruptedException {
        synchronized (turn) {
            paused = true;
            while (busy > 0) {
                turn.wait();
            }
        }
    }

    /** Goes on after a pause. */
    void resume() {
        synchronized (turn) {
            paused = false;
            turn.notifyAll();
        }
    }

    /** From now on rows go to this partition too. */
    void use(int partition) {
        partitions.addIfAbsent(partition);
    }

    /** From now on no rows go to this partition. */
    void avoid(int partition) {
        partitions.remove((Integer) partition);
    }

    /** Partitions that rows go to. */
    List<Integer> partitions() {
        return List.copyOf(partitions);
    }

    /** How many writes there were, failed ones included. */
    long writes() {
        return writes.get();
    }

    /** How many writes failed, or may have. */
    long failures() {
        return failures.get();
    }

    @Override
    public void close() {
        synchronized (turn) {
            closed = true;
            turn.notifyAll();
        }
        for (Thread thread : threads) {
            thread.interrupt();
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private void start(String name, long seed, Write write) {
        Random random = new Random(seed * 31 + name.hashCode());
        Thread thread = new Thread(() -> loop(random, write), "writer-" + name);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    private void loop(Random random, Write write) {
        while (enter()) {
            try {
                writes.incrementAndGet();
                write.run(random);
            } catch (IOException | UncheckedIOException | AssertionError e) {
                failures.incrementAndGet();
            } finally {
                leave();
            }
            try {
                Thread.sleep(random.nextInt(LONGEST_PAUSE_MILLIS));
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private boolean enter() {
        synchronized (turn) {
            try {
                while (paused && !closed) {
                    turn.wait();
                }
            } catch (InterruptedException e) {
                return false;
            }
            busy += closed ? 0 : 1;
            return !closed;
        }
    }

    private void leave() {
        synchronized (turn) {
            busy--;
            turn.notifyAll();
        }
    }

    private StreamLoad loads(Random random) {
        return StreamLoad.into(doris, FollowedTable.IDENTIFIER)
                .backend(random.nextInt(doris.count("be")))
                .with("columns", "k,p,n,v");
    }

    /** A transaction of two phases that blocks the readers of the table until it is decided. */
    private void held(Random random) throws IOException {
        String label = "held_" + UUID.randomUUID();
        StreamLoad load = loads(random).with("label", label);
        int hold = random.nextInt(LONGEST_HOLD_MILLIS);
        boolean commits = random.nextInt(5) > 0;
        String rows = rows(random, 1 + random.nextInt(20));
        long transaction;
        try {
            transaction = load.prepare(rows);
        } catch (IOException e) {
            load.backend(doris.count("be") - 1);
            // It may be pre-committed all the same, and nothing may stay open.
            decide(() -> load.abort(label));
            throw e;
        }
        try {
            Thread.sleep(hold);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        // The last one is never stopped, and the job waits for what is open.
        load.backend(doris.count("be") - 1);
        decide(
                () -> {
                    if (commits) {
                        load.commit(transaction);
                    } else {
                        load.abort(transaction);
                    }
                });
    }

    private interface Decision {
        void make() throws IOException;
    }

    /** Tries until the server has answered, however. */
    private static void decide(Decision decision) throws IOException {
        IOException last = null;
        for (int i = 0; i < DECISION_TRIES; i++) {
            try {
                decision.make();
                return;
            } catch (StreamLoad.Refused answered) {
                throw answered;
            } catch (IOException e) {
                last = e;
                try {
                    Thread.sleep(100);
                } catch (InterruptedException interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }
        throw last;
    }

    private void deleteOrUpdate(Random random) throws IOException {
        if (!table.isUnique()) {
            loads(random).load(rows(random, 1 + random.nextInt(10)));
        } else if (random.nextBoolean()) {
            StreamLoad load = loads(random).with("columns", "k,p").deleting();
            load.load(keys(random, 1 + random.nextInt(10)));
        } else {
            StreamLoad load = loads(random).partial("k,p,v");
            load.load(partial(random, 1 + random.nextInt(10)));
        }
    }

    private String rows(Random random, int count) {
        StringBuilder rows = new StringBuilder();
        for (int i = 0; i < count; i++) {
            rows.append(
                    String.format(
                            "{\"k\":%d,\"p\":%d,\"n\":%d,\"v\":%s}%n",
                            key(random), partition(random), number(), json(text(random))));
        }
        return rows.toString();
    }

    private String keys(Random random, int count) {
        StringBuilder rows = new StringBuilder();
        for (int i = 0; i < count; i++) {
            rows.append(String.format("{\"k\":%d,\"p\":%d}%n", key(random), partition(random)));
        }
        return rows.toString();
    }

    private String partial(Random random, int count) {
        StringBuilder rows = new StringBuilder();
        for (int i = 0; i < count; i++) {
            rows.append(
                    String.format(
                            "{\"k\":%d,\"p\":%d,\"v\":%s}%n",
                            key(random), partition(random), json(text(random))));
        }
        return rows.toString();
    }

    private static long key(Random random) {
        // Some keys change often, so that several changes of one stand in a window.
        return random.nextInt(4) == 0 ? random.nextInt(5) : random.nextInt(KEYS);
    }

    private int partition(Random random) {
        Integer[] all = partitions.toArray(new Integer[0]);
        return all[random.nextInt(all.length)];
    }

    private long number() {
        return numbers.incrementAndGet();
    }

    private static String text(Random random) {
        if (random.nextInt(20) == 0) {
            return null;
        }
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(8); i > 0; i--) {
            text.append(PIECES[random.nextInt(PIECES.length)]);
        }
        return text.toString();
    }

    private static String json(String text) {
        return text == null ? "null" : Json.quote(text);
    }

    private static String sql(String text) {
        return text == null ? "NULL" : "'" + text.replace("\\", "\\\\").replace("'", "''") + "'";
    }

    /** Statements through a MySQL port, which is changed when it fails. */
    private final class Statements implements Write {

        private MysqlPort port;

        @Override
        public void run(Random random) throws IOException {
            if (port == null) {
                port = doris.connect(random.nextInt(doris.count("fe")));
            }
            try {
                port.query(statement(random));
            } catch (UncheckedIOException e) {
                port.close();
                port = null;
                throw e;
            }
        }

        private String statement(Random random) {
            int kind = table.isUnique() ? random.nextInt(4) : 0;
            String where = String.format("WHERE k = %d AND p = %d", key(random), partition(random));
            switch (kind) {
                case 1:
                    return String.format(
                            "UPDATE %s SET n = %d, v = %s %s",
                            FollowedTable.IDENTIFIER, number(), sql(text(random)), where);
                case 2:
                    return String.format("DELETE FROM %s %s", FollowedTable.IDENTIFIER, where);
                default:
                    StringBuilder values = new StringBuilder();
                    for (int i = random.nextInt(4); i >= 0; i--) {
                        values.append(values.length() == 0 ? "" : ", ")
                                .append(
                                        String.format(
                                                "(%d, %d, %d, %s)",
                                                key(random),
                                                partition(random),
                                                number(),
                                                sql(text(random))));
                    }
                    return "INSERT INTO " + FollowedTable.IDENTIFIER + " VALUES " + values;
            }
        }
    }
}
