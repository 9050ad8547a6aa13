package doris.connector.bench;

import com.sun.management.OperatingSystemMXBean;

import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * One side of a benchmark: runs the same job each time a line comes in, and answers with what it
 * cost. The CPU time is that of this whole process, native threads, compiler and garbage collector
 * included. The end of standard input ends it.
 *
 * <p>Arguments: {@code streaming} or {@code batch}; a file with statements, each ended by a
 * semicolon at the end of a line; the last one is the job, the others are run once before. {@code
 * RUN} in the job becomes a text that no other run has.
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
        tables.getConfig().set("parallelism.default", "1");
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
            tables.executeSql(job.replace("RUN", Long.toString(wall, 36))).await();
            cpu = system.getProcessCpuTime() - cpu;
            wall = System.nanoTime() - wall;
            System.out.printf(Locale.ROOT, "cpu_s=%.3f wall_s=%.3f%n", cpu / 1e9, wall / 1e9);
        }
        System.exit(0);
    }
}
