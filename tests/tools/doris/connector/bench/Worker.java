package doris.connector.bench;

import com.sun.management.OperatingSystemMXBean;

import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.TableResult;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * One side of a benchmark: runs the same job each time a line comes in, and answers with what it
 * cost. The CPU time is that of this whole process, native threads, compiler and garbage collector
 * included. The end of standard input ends it.
 *
 * <p>Arguments: {@code streaming} or {@code batch}; a file with statements, each ended by a
 * semicolon at the end of a line; the last one is the job, the others are run once before. {@code
 * RUN} in the job becomes a text that no other run has. For a job without an end also: after how
 * many rows of {@link CountedRows} it is ended, and its parallelism.
 */
public final class Worker {
    private Worker() {}

    public static void main(String[] args) throws Exception {
        OperatingSystemMXBean system =
                (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        TableEnvironment tables =
                TableEnvironment.create(
                        args[0].equals("batch")
                                ? EnvironmentSettings.inBatchMode()
                                : EnvironmentSettings.inStreamingMode());
        tables.getConfig().set("parallelism.default", args.length > 3 ? args[3] : "1");
        tables.getConfig().set("restart-strategy.type", "none");
        String[] statements = Files.readString(Path.of(args[1])).split(";\\s*\n");
        for (int i = 0; i < statements.length - 1; i++) {
            tables.executeSql(statements[i]);
        }
        String job = statements[statements.length - 1];
        System.out.println("ready");
        BufferedReader in =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        while (in.readLine() != null) {
            System.gc();
            long wall = System.nanoTime();
            long cpu = system.getProcessCpuTime();
            long counted = CountedRows.count();
            TableResult result = tables.executeSql(job.replace("RUN", Long.toString(wall, 36)));
            if (args.length > 2) {
                awaitRows(result, counted + Long.parseLong(args[2]));
            } else {
                result.await();
            }
            cpu = system.getProcessCpuTime() - cpu;
            wall = System.nanoTime() - wall;
            if (args.length > 2) {
                end(result.getJobClient().get());
            }
            System.out.printf(Locale.ROOT, "cpu_s=%.3f wall_s=%.3f%n", cpu / 1e9, wall / 1e9);
        }
        System.exit(0);
    }

    /** Waits for rows; a job that fails before ends this process with its failure. */
    private static void awaitRows(TableResult result, long rows) throws Exception {
        JobClient job = result.getJobClient().get();
        while (CountedRows.count() < rows) {
            if (job.getJobStatus().get().isGloballyTerminalState()) {
                job.getJobExecutionResult().get();
                throw new IllegalStateException("the job ended before its rows had come");
            }
            Thread.sleep(5);
        }
    }

    /** Ends a job, and with it the cluster in this JVM, which takes no more questions then. */
    private static void end(JobClient job) throws Exception {
        try {
            CompletableFuture<JobExecutionResult> result = job.getJobExecutionResult();
            if (!result.isDone()) {
                job.cancel().get();
            }
            result.get();
        } catch (ExecutionException | IllegalStateException ended) {
            // As it was asked to.
        }
    }
}
