package org.apache.doris.flink.sink.writer;

import org.apache.doris.flink.config.TableIdentifier;
import org.apache.flink.annotation.Internal;

/**
 * The warning about a query that updates or deletes rows of a table that is declared without a
 * primary key: Flink then leaves the rows where they are, and a subtask of the sink cannot know
 * what another one writes.
 */
@Internal
public final class UnorderedChanges {

    private UnorderedChanges() {}

    /** For the log, at planning and at the start. */
    public static String warning(TableIdentifier table) {
        return String.format(
                "The query updates or deletes rows of table %s, which is declared without a primary"
                    + " key: nothing keeps the order of two changes of one row that come from"
                    + " different subtasks, so rows can be lost or stay with old values. Declare"
                    + " PRIMARY KEY (...) NOT ENFORCED with the key columns of the Doris table,"
                    + " which lets Flink order them (the INSERT of Flink 2.3 may then need ON"
                    + " CONFLICT DO DEDUPLICATE), or run the job with a parallelism of 1.",
                table);
    }
}
