package org.apache.doris.flink.chaos.changelog;

import org.apache.doris.flink.chaos.Evidence;
import org.apache.doris.flink.chaos.Flink;
import org.apache.doris.flink.chaos.Jobs;
import org.apache.doris.flink.chaos.Plan;
import org.apache.doris.flink.chaos.Plan.Planned;
import org.apache.doris.flink.chaos.RunArguments;
import org.apache.doris.flink.chaos.RunLog;
import org.apache.doris.flink.chaos.Waiter;
import org.apache.doris.flink.chaos.job.Control;
import org.apache.doris.flink.chaos.job.FollowJob;
import org.apache.doris.flink.it.NothingLeft;
import org.apache.doris.flink.it.Standin;
import org.apache.doris.flink.it.Transaction;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A run of random faults under a job that follows a table while others write to it: what the job
 * has kept is compared with what the server recorded, record by record, and its result with the
 * table.
 */
public final class ChangelogChaos {

    private static final String ZONE = "+08:00";

    /** After so many rounds the writers stop and everything is compared. */
    private static final int ROUNDS_TO_QUIET = 12;

    /** After so many rounds the published position is compared with what is kept. */
    private static final int ROUNDS_TO_POSITION = 3;

    /** Writes before a quiet point of a run without faults. */
    private static final int WRITES = 150;

    private final Waiter waiter = new Waiter();
    private final RunArguments arguments;
    private final Path folder;
    private final FollowedTable table;
    private long ahead;

    /**
     * A run of the arguments; {@code quiet} is how often all is compared before the first fault.
     */
    ChangelogChaos(RunArguments arguments) {
        this.arguments = arguments;
        folder = arguments.folder();
        table = new FollowedTable(arguments.seed());
    }

    public static void main(String[] args) throws Exception {
        boolean exact = new ChangelogChaos(RunArguments.of(args)).run();
        // Flink leaves threads behind that are no daemons.
        System.exit(exact ? 0 : 1);
    }

    /** Whether nothing was missing, doubled, wrong or left over. */
    boolean run() throws Exception {
        Path control = Files.createDirectories(folder.resolve("control"));
        Path kept = Files.createDirectories(folder.resolve("kept"));
        try (RunLog log = new RunLog(folder.resolve("run.log"));
                Standin doris = server().start()) {
            doris.use(doris.count("fe") - 1);
            log.print(
                    String.format(
                            "seed %d, %d faults, everything in %s",
                            arguments.seed(), arguments.faults(), folder));
            log.print("table: " + table);
            doris.run(table.statements());
            String start = text(doris.positionMillis());
            Flink flink = arguments.flink(waiter);
            try (Writers writers = new Writers(doris, table)) {
                Map<String, String> server = server(doris);
                Jobs jobs =
                        new Jobs(
                                flink,
                                waiter,
                                log,
                                folder,
                                configuration -> {
                                    Map<String, String> options = new TreeMap<>(server);
                                    options.putAll(table.options(start, jdbcUrl(doris)));
                                    options.putAll(arguments.options("source."));
                                    return FollowJob.submit(
                                            configuration,
                                            control.toString(),
                                            kept.toString(),
                                            table.isKeyed(),
                                            options);
                                });
                try {
                    return run(doris, flink, jobs, control, kept, writers, log);
                } catch (Exception | AssertionError stuck) {
                    log.step("STUCK: %s", stuck);
                    jobs.tellFailures();
                    new Evidence(folder, doris, jobs).write(log);
                    log.printCounts();
                    return false;
                }
            } finally {
                flink.close();
            }
        }
    }

    private boolean run(
            Standin doris,
            Flink flink,
            Jobs jobs,
            Path control,
            Path kept,
            Writers writers,
            RunLog log)
            throws Exception {
        Following following = new Following(doris, jobs, kept);
        ServerLog serverLog = new ServerLog(doris, table);
        QuietPoint quiet = new QuietPoint(doris, table, writers, following, serverLog, waiter, log);
        writers.fill(arguments.seed());
        writers.start(arguments.seed());
        jobs.submit(ChangelogBreaker.firstParallelism(), Optional.empty());
        jobs.recover();
        waiter.until("the changelog phase has begun", () -> following.start().isPresent());
        for (int i = Integer.parseInt(arguments.value("quiet").orElse("0")); i > 0; i--) {
            long written = writers.writes();
            waiter.until("some has been written", () -> writers.writes() > written + WRITES);
            quiet.come();
            quiet.leave();
        }
        faults(
                new ChangelogBreaker(
                        doris,
                        flink,
                        jobs,
                        new Control(control.toString()),
                        waiter,
                        log,
                        table,
                        writers,
                        quiet),
                quiet,
                log);
        quiet.come();
        jobs.sample();
        // What is repeated would come with the next windows.
        long position = doris.positionMillis();
        waiter.until("the clock has gone on", () -> doris.positionMillis() > position + 2_000);
        jobs.recover();
        ahead += quiet.ahead();
        ChangeComparison comparison = quiet.compare();
        long sent = serverLog.changesFrom(0).size();
        jobs.cancel();
        flink.close();
        return verdict(doris, jobs, writers, comparison, sent, log);
    }

    private void faults(ChangelogBreaker breaker, QuietPoint quiet, RunLog log) throws Exception {
        long begun = System.nanoTime();
        int number = 0;
        List<ChangelogFault> deck = ChangelogFault.deck(arguments.processes(), arguments.only());
        for (List<Planned<ChangelogFault>> round :
                Plan.of(arguments.seed(), arguments.faults(), deck)) {
            if (System.nanoTime() - begun > arguments.time().toNanos()) {
                return;
            }
            log.step("round %d", ++number);
            breaker.round(round);
            if (number % ROUNDS_TO_POSITION == 0) {
                ahead += quiet.ahead();
            }
            if (number % ROUNDS_TO_QUIET == 0) {
                quiet.come();
                quiet.leave();
            }
        }
    }

    private boolean verdict(
            Standin doris,
            Jobs jobs,
            Writers writers,
            ChangeComparison comparison,
            long sent,
            RunLog log)
            throws Exception {
        List<Transaction> open =
                doris.transactions().stream()
                        .filter(transaction -> !transaction.isFinished())
                        .collect(Collectors.toList());
        waiter.within(Duration.ofSeconds(20), () -> NothingLeft.open(doris).isEmpty());
        Map<String, Long> left = new TreeMap<>(NothingLeft.open(doris));
        open.forEach(transaction -> left.put("transaction " + transaction.label(), 1L));

        log.printCounts();
        log.print(
                String.format(
                        "%d writes, %d of them failed, %d submissions and restarts, %d checkpoints",
                        writers.writes(),
                        writers.failures(),
                        jobs.failovers(),
                        jobs.checkpoints()));
        comparison.findings().forEach(log::print);
        left.forEach((name, count) -> log.print("lingering: " + count + " " + name));
        if (ahead > 0) {
            log.print(ahead + " records below a published position were in no checkpoint");
        }
        boolean exact = comparison.isExact() && left.isEmpty() && ahead == 0;
        if (!exact) {
            new Evidence(folder, doris, jobs).write(log);
        }
        log.print(
                String.format(
                        "chaos mode=changelog seed=%d faults=%d failovers=%d sent=%d missing=%d"
                                + " doubled=%d wrong=%d lingering=%d",
                        arguments.seed(),
                        log.struck(),
                        jobs.failovers(),
                        sent,
                        comparison.missing() + ahead,
                        comparison.doubled(),
                        comparison.wrong(),
                        left.size()));
        return exact;
    }

    private static Standin server() {
        return Standin.with(
                "--frontends",
                "3",
                "--backends",
                "3",
                "--time-zone",
                ZONE,
                "--set",
                "change_visible_timeout_ms=2000");
    }

    private static Map<String, String> server(Standin doris) {
        Map<String, String> options = new TreeMap<>();
        options.put("connector", "doris");
        options.put("fenodes", doris.fenodes());
        options.put("username", "root");
        options.put("password", "");
        return options;
    }

    private static String jdbcUrl(Standin doris) {
        return "jdbc:mysql://127.0.0.1:" + doris.port("fe", doris.count("fe") - 1, "mysql");
    }

    private static String text(long millis) {
        return DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss")
                .format(Instant.ofEpochMilli(millis).atOffset(ZoneOffset.of(ZONE)));
    }
}
