package org.apache.doris.flink.chaos;

import org.apache.doris.flink.it.Standin;
import org.apache.doris.flink.it.Transaction;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** What is kept of a run that was not exact or got stuck. */
public final class Evidence {

    private final Path folder;
    private final Standin doris;
    private final Jobs jobs;

    /** Evidence of a run on a server and a job. */
    public Evidence(Path folder, Standin doris, Jobs jobs) {
        this.folder = folder;
        this.doris = doris;
        this.jobs = jobs;
    }

    /** Writes the server's journal and transactions and the job's failures to the folder. */
    public void write(RunLog log) {
        try {
            Files.writeString(folder.resolve("journal.json"), doris.journalText(0));
            List<String> transactions =
                    doris.transactions().stream()
                            .map(Transaction::toString)
                            .collect(Collectors.toList());
            Files.write(folder.resolve("transactions.txt"), transactions);
            List<String> failures =
                    jobs.job().failures().stream()
                            .map(JobFailure::toString)
                            .collect(Collectors.toList());
            Files.write(folder.resolve("failures.txt"), failures);
        } catch (IOException | RuntimeException | AssertionError e) {
            log.print("not all evidence could be had: " + e);
        }
        log.print("journal, transactions and failures are in " + folder);
    }
}
