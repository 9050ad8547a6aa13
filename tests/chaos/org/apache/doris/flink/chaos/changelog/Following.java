package org.apache.doris.flink.chaos.changelog;

import org.apache.doris.flink.chaos.Jobs;
import org.apache.doris.flink.chaos.job.KeptChanges;
import org.apache.doris.flink.it.Standin;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the job has received up to its newest completed checkpoint, and from where on it follows.
 */
final class Following {

    private static final int LOGICAL_BITS = 18;
    private static final DateTimeFormatter TEXT =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss");
    private static final Pattern START =
            Pattern.compile("startTimestamp['\"]\\s*=\\s*['\"]([^'\"]+)['\"]");

    private final Standin doris;
    private final Jobs jobs;
    private final Path kept;

    /** Files that were read, since the newest checkpoint holds those of older ones too. */
    private final Map<Path, List<Change>> read = new HashMap<>();

    private long start = -1;

    Following(Standin doris, Jobs jobs, Path kept) {
        this.doris = doris;
        this.jobs = jobs;
        this.kept = kept;
    }

    /** All rows that the newest completed checkpoint of the running job holds. */
    List<Change> received() throws IOException {
        long checkpoint = jobs.job().newestCompleted();
        List<Change> changes = new ArrayList<>();
        for (Path file : KeptChanges.files(kept, jobs.job().id(), checkpoint)) {
            changes.addAll(changesOf(file));
        }
        return changes;
    }

    /**
     * The first stamp of the changelog phase: the start of the first window that was asked for;
     * empty before that.
     */
    Optional<Long> start() {
        if (start < 0) {
            // The fence asks for one row.
            doris.queries(0, FollowedTable.NAME).stream()
                    .filter(query -> query.contains("@incr") && !query.contains("LIMIT 1"))
                    .map(START::matcher)
                    .filter(Matcher::find)
                    .mapToLong(match -> stampOf(match.group(1)))
                    .min()
                    .ifPresent(stamp -> start = stamp);
        }
        return start < 0 ? Optional.empty() : Optional.of(start);
    }

    /** The first stamp of a second, given as text in UTC. */
    static long stampOf(String text) {
        return LocalDateTime.parse(text, TEXT).toInstant(ZoneOffset.UTC).toEpochMilli()
                << LOGICAL_BITS;
    }

    private List<Change> changesOf(Path file) throws IOException {
        List<Change> changes = read.get(file);
        if (changes == null) {
            changes = new ArrayList<>();
            for (String line : Files.readAllLines(file)) {
                changes.add(Change.received(line));
            }
            read.put(file, changes);
        }
        return changes;
    }
}
