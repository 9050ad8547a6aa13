package org.apache.doris.flink.source.offset;

import org.apache.flink.annotation.Internal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Instant;
import java.util.function.LongSupplier;

/**
 * Writes progress to the offset table in the background: one write at a time, retried after 1 s, 2
 * s … 60 s, replaced by newer progress, never going backwards. No failure reaches the job.
 *
 * <p>Used by the coordinator thread; {@link #close} by the thread that closes the enumerator, after
 * the coordinator thread has ended.
 */
@Internal
public final class OffsetPublisher implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(OffsetPublisher.class);
    private static final long NONE = Long.MIN_VALUE;
    private static final long FIRST_PAUSE_MILLIS = 1000;
    private static final long LONGEST_PAUSE_MILLIS = 60_000;
    private static final long CLOSE_MILLIS = 5000;

    private final OffsetTable table;
    private final LongSupplier clock;

    private volatile long wanted = NONE;
    private volatile long published = NONE;
    private volatile long failures;
    private OffsetTable.Write write;
    private long writing = NONE;
    private long attempts;
    private long pause = FIRST_PAUSE_MILLIS;
    private long notBefore = NONE;
    private boolean closed;

    /**
     * @param clock milliseconds of a clock that never goes back
     */
    public OffsetPublisher(OffsetTable table, LongSupplier clock) {
        this.table = table;
        this.clock = clock;
    }

    /** Wants this position to be in the table, rounded down to seconds; an older one is ignored. */
    public void publish(long millis) {
        long seconds = Math.floorDiv(millis, 1000L) * 1000L;
        if (!closed && seconds > wanted) {
            wanted = seconds;
            advance();
        }
    }

    /** Takes the next step if there is one; to be called about once a second. Does not block. */
    public void advance() {
        if (closed || write != null && !finished(0)) {
            return;
        }
        if (wanted > published && (notBefore == NONE || clock.getAsLong() >= notBefore)) {
            begin();
        }
    }

    /** Position in the table, ms since 1970; 0 when this job has not written yet. */
    public long publishedMillis() {
        return published == NONE ? 0 : published;
    }

    /** How far the table lags completed checkpoints, in milliseconds. */
    public long lagMillis() {
        return published == NONE || wanted == NONE ? 0 : wanted - published;
    }

    /** Writes that failed. */
    public long failures() {
        return failures;
    }

    /** One last attempt to write what is not written yet; takes 5 s at most. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        long deadline = clock.getAsLong() + CLOSE_MILLIS;
        if (write != null) {
            finished(deadline - clock.getAsLong());
        }
        if (write == null && wanted > published && clock.getAsLong() < deadline) {
            begin();
            if (write != null) {
                finished(deadline - clock.getAsLong());
            }
        }
        closed = true;
        if (write != null) {
            write.close();
            write = null;
        }
        if (wanted > published) {
            LOG.warn(
                    "The last position {} was not published for {}; the table still says {}. A job"
                            + " that starts from it reads some changes again.",
                    Instant.ofEpochMilli(wanted),
                    table.describe(),
                    published == NONE ? "what it said before" : Instant.ofEpochMilli(published));
        }
    }

    private void begin() {
        attempts++;
        writing = wanted;
        try {
            write = table.write(writing);
        } catch (IOException e) {
            failed(e);
        }
    }

    /** Whether the write under way has ended, well or not. */
    private boolean finished(long waitMillis) {
        if (!write.await(Math.max(waitMillis, 0))) {
            return false;
        }
        OffsetTable.Write ended = write;
        write = null;
        try (ended) {
            ended.result();
            published = writing;
            if (attempts > 1) {
                LOG.info(
                        "Position {} is published for {}, at attempt {}.",
                        Instant.ofEpochMilli(published),
                        table.describe(),
                        attempts);
            }
            attempts = 0;
            pause = FIRST_PAUSE_MILLIS;
            notBefore = NONE;
        } catch (IOException e) {
            failed(e);
        }
        return true;
    }

    private void failed(IOException failure) {
        failures++;
        notBefore = clock.getAsLong() + pause;
        LOG.warn(
                "Publishing position {} for {} failed at attempt {}; the job goes on, the next"
                        + " attempt follows in {} s. {}",
                Instant.ofEpochMilli(writing),
                table.describe(),
                attempts,
                pause / 1000,
                failure.getMessage());
        pause = Math.min(2 * pause, LONGEST_PAUSE_MILLIS);
    }
}
