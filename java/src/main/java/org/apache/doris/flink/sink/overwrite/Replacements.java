package org.apache.doris.flink.sink.overwrite;

import org.apache.doris.flink.sink.transaction.LabelState;
import org.apache.doris.flink.sink.transaction.PendingCall;
import org.apache.flink.annotation.Internal;

import java.io.IOException;
import java.io.Serializable;
import java.security.SecureRandom;
import java.time.Duration;

/** The tables of one run of {@code INSERT OVERWRITE} in Doris. Each call may be repeated. */
@Internal
public interface Replacements extends AutoCloseable {

    /**
     * Makes a table like the target, after it has dropped all others that were made under the job's
     * label prefix.
     *
     * @param number random hexadecimal digits, other ones at each start
     */
    PendingCall<Replacement> make(String number) throws IOException;

    /** The name of this run's table; waits until there is one. */
    PendingCall<String> find(Duration wait) throws IOException;

    /**
     * Puts the table into the target's place.
     *
     * @return whether that was done now, and not before
     */
    PendingCall<Boolean> swapIn(Replacement replacement) throws IOException;

    /** Drops this run's tables that are still there, and gives their number. */
    PendingCall<Integer> drop() throws IOException;

    /** The state of a load. */
    PendingCall<LabelState> state(String database, String label) throws IOException;

    @Override
    void close();

    /** Random hexadecimal digits for a run or a start, six of them. */
    static String randomDigits() {
        return String.format("%06x", new SecureRandom().nextInt(1 << 24));
    }

    /** Opens them wherever the job runs; no I/O. */
    interface Factory extends Serializable {

        /** To be closed by the caller. */
        Replacements open() throws IOException;
    }
}
