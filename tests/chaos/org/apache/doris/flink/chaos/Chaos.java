package org.apache.doris.flink.chaos;

import org.apache.doris.flink.chaos.Plan.Planned;
import org.apache.doris.flink.chaos.job.ChaosJob;
import org.apache.doris.flink.chaos.job.ChaosRows;
import org.apache.doris.flink.chaos.job.Control;
import org.apache.doris.flink.chaos.job.Sent;
import org.apache.doris.flink.it.NothingLeft;
import org.apache.doris.flink.it.Standin;
import org.apache.doris.flink.it.Transaction;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A run of random faults under a job that writes: afterwards all tables are compared, row by row,
 * with what was sent.
 */
public final class Chaos {

    /** Parameter {@code timeout} of all loads. */
    static final int LOAD_TIMEOUT_SECONDS = 600;

    /** How long the server keeps a pre-committed transaction, and some more. */
    private static final Duration PAST_PRECOMMITS = Duration.ofSeconds(3700);

    private static final int ROWS_A_SECOND = 300;
    private static final int PARALLELISM = 4;

    /** Flink shows figures of its last look at them, and looks every 500 ms when it is asked. */
    private static final Duration FIGURES_RENEWED = Duration.ofSeconds(2);

    /** Few enough rows for some loads between two checkpoints. */
    private static final int BATCH_ROWS = 40;

    private final Waiter waiter = new Waiter();
    private final RunArguments arguments;
    private final long seed;
    private final Mode mode;
    private final Path folder;

    private Chaos(RunArguments arguments) {
        this.arguments = arguments;
        seed = arguments.seed();
        mode = Mode.of(arguments.value("mode").orElseThrow());
        folder = arguments.folder();
    }

    public static void main(String[] args) throws Exception {
        boolean exact = new Chaos(RunArguments.of(args)).run();
        // Flink and zombies leave threads behind that are no daemons.
        System.exit(exact ? 0 : 1);
    }

    /** Whether nothing was missing, wrong, left over, or doubled that may not be. */
    private boolean run() throws Exception {
        Path control = Files.createDirectories(folder.resolve("control"));
        try (RunLog log = new RunLog(folder.resolve("run.log"));
                Standin doris = Standin.with("--frontends", "3", "--backends", "3").start();
                Flink flink = arguments.flink(waiter)) {
            log.print(
                    String.format(
                            "seed %d, %d faults, everything in %s",
                            seed, arguments.faults(), folder));
            doris.run(ChaosJob.tables());
            Map<String, String> options = options(doris);
            Jobs jobs =
                    new Jobs(
                            flink,
                            waiter,
                            log,
                            folder,
                            configuration ->
                                    ChaosJob.submit(
                                            configuration,
                                            seed,
                                            control.toString(),
                                            mode == Mode.BATCH,
                                            options));
            try {
                long end = faults(doris, flink, jobs, new Control(control.toString()), log);
                return compare(doris, jobs, control.toString(), end, log);
            } catch (Exception | AssertionError stuck) {
                log.step("STUCK: %s", stuck);
                jobs.tellFailures();
                new Evidence(folder, doris, jobs).write(log);
                log.printCounts();
                return false;
            }
        }
    }

    private Map<String, String> options(Standin doris) {
        Map<String, String> options = new TreeMap<>();
        options.put("connector", "doris");
        options.put("fenodes", doris.fenodes());
        options.put("username", "root");
        options.put("password", "");
        options.put("sink.label-prefix", "chaos");
        options.put("sink.max-retries", "3");
        options.put("sink.properties.timeout", String.valueOf(LOAD_TIMEOUT_SECONDS));
        if (mode == Mode.BATCH) {
            batchOptions(options);
        } else {
            options.put("sink.buffer-size", "64kb");
            if (Math.floorMod(seed, 4L) == 0) {
                // Every broken load fails over.
                options.put("sink.replay-buffer-size", "0");
            }
        }
        options.putAll(arguments.options("sink."));
        return options;
    }

    /** By turns of the seeds rows, time, or checkpoints alone flush. */
    private void batchOptions(Map<String, String> options) {
        options.put("sink.enable.batch-mode", "true");
        options.put("sink.flush.queue-size", String.valueOf(1 + Math.floorMod(seed / 3, 2L)));
        switch ((int) Math.floorMod(seed, 3L)) {
            case 0:
                options.put("sink.buffer-flush.max-rows", String.valueOf(BATCH_ROWS));
                break;
            case 1:
                options.put("sink.buffer-flush.interval", "100ms");
                break;
            default:
                options.put("sink.buffer-flush.max-bytes", "64kb");
        }
    }

    /** Plays all faults and ends the job; gives the position at which every partition ended. */
    private long faults(Standin doris, Flink flink, Jobs jobs, Control control, RunLog log)
            throws Exception {
        long start = System.nanoTime();
        long end;
        jobs.submit(PARALLELISM, Optional.empty());
        try (Pace pace = new Pace(control, ROWS_A_SECOND)) {
            jobs.recover();
            WriteBreaker breaker = new WriteBreaker(mode, doris, flink, jobs, control, waiter, log);
            for (List<Planned<FaultKind>> round :
                    Plan.of(
                            seed,
                            arguments.faults(),
                            FaultKind.deck(mode, arguments.processes(), arguments.only()))) {
                if (System.nanoTime() - start > arguments.time().toNanos()) {
                    break;
                }
                log.step("round at position %d", pace.limit());
                breaker.round(round);
            }
            end = pace.limit();
        }
        // Flink renews the figures of a job now and then.
        long restarts = jobs.failovers();
        waiter.within(
                Duration.ofSeconds(2),
                () -> {
                    jobs.sample();
                    return jobs.failovers() > restarts;
                });
        if (mode == Mode.BATCH) {
            emptied(jobs);
        }
        end += ROWS_A_SECOND;
        control.endAt(end);
        log.step("all partitions end at position %d", end);
        waiter.until("the job has come to its end", jobs.job()::ended);
        String state = jobs.job().state();
        if (!state.equals("FINISHED")) {
            throw new Waiter.Stuck("the job ended as " + state);
        }
        log.step("the job has finished");
        return end;
    }

    /**
     * Waits until all that was sent is in a checkpoint, and no sink holds a byte of it any more.
     */
    private void emptied(Jobs jobs) throws Exception {
        jobs.recover();
        long begun = System.nanoTime();
        waiter.until(
                "bufferedBytes of all three sinks is 0 after the last checkpoint",
                () ->
                        jobs.job().sums("bufferedBytes").equals(List.of(0L, 0L, 0L))
                                && System.nanoTime() - begun > FIGURES_RENEWED.toNanos());
    }

    private boolean compare(Standin doris, Jobs jobs, String control, long end, RunLog log)
            throws Exception {
        List<Transaction> open = unfinished(doris);
        waiter.within(
                Duration.ofSeconds(30),
                () -> unfinished(doris).stream().noneMatch(t -> t.state().equals("COMMITTED")));
        doris.reconnect();
        Sent sent = Sent.read(control, end);
        Comparison comparison =
                new Comparison(
                        new ChaosRows(seed),
                        end,
                        mode == Mode.BATCH ? sent::times : (stream, partition, position) -> 1);
        comparison.latest(
                doris.sql("SELECT k, p, n, v FROM " + ChaosJob.DATABASE + "." + ChaosJob.UNIQUE));
        comparison.inserts(doris.sql(ChaosJob.inserts()));
        doris.advanceClock(PAST_PRECOMMITS);
        waiter.within(Duration.ofSeconds(10), () -> unfinished(doris).isEmpty());
        List<String> lingering =
                unfinished(doris).stream().map(Transaction::toString).collect(Collectors.toList());
        if (mode == Mode.BATCH && !arguments.processes()) {
            waiter.within(Duration.ofSeconds(20), () -> NothingLeft.open(doris).isEmpty());
            NothingLeft.open(doris).forEach((name, count) -> lingering.add(count + " " + name));
        }

        log.printCounts();
        log.print(
                String.format(
                        "%d submissions and restarts, %d checkpoints, %d transactions, %d left to"
                                + " the server's timeout",
                        jobs.failovers(),
                        jobs.checkpoints(),
                        doris.transactions().stream().mapToLong(Transaction::id).max().orElse(0),
                        open.size()));
        if (mode == Mode.BATCH) {
            log.print(
                    String.format(
                            "%d rows of Duplicate tables were received after the last completed"
                                    + " checkpoint before a fail-over",
                            sent.again()));
        }
        comparison.findings().forEach(log::print);
        lingering.forEach(what -> log.print("lingering: " + what));
        boolean exact = comparison.isExact() && lingering.isEmpty();
        if (!exact) {
            new Evidence(folder, doris, jobs).write(log);
        }
        log.print(
                String.format(
                        "chaos mode=%s seed=%d faults=%d failovers=%d sent=%d missing=%d"
                                + " doubled=%d%s wrong=%d lingering=%d",
                        mode.text(),
                        seed,
                        log.struck(),
                        jobs.failovers(),
                        comparison.sent(),
                        comparison.missing(),
                        comparison.doubled(),
                        mode == Mode.BATCH ? " doubled_allowed=" + comparison.doubledAllowed() : "",
                        comparison.wrong(),
                        lingering.size()));
        return exact;
    }

    private static List<Transaction> unfinished(Standin doris) {
        return doris.transactions().stream()
                .filter(transaction -> !transaction.isFinished())
                .collect(Collectors.toList());
    }
}
