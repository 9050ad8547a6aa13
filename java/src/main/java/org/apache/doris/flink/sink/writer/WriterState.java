package org.apache.doris.flink.sink.writer;

import org.apache.flink.annotation.Internal;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What one writer leaves in a checkpoint so that a later attempt finds its labels: under which
 * prefix it wrote, which subtask of how many it was, in which epoch and attempt, and how far it got
 * in each table. Holds no rows and no transactions. Immutable.
 */
@Internal
public final class WriterState {

    private final String prefix;
    private final int subtask;
    private final int parallelism;
    private final long epoch;
    private final int attempt;
    private final long wallMillis;
    private final boolean inherited;
    private final List<Table> tables;

    /**
     * @param prefix label prefix
     * @param subtask number of the writer, from 0
     * @param parallelism number of writers
     * @param epoch id of the checkpoint that the attempt restored from, 0 when it began afresh
     * @param attempt Flink's number of the attempt
     * @param wallMillis wall clock of the snapshot, milliseconds since 1970
     * @param inherited whether the writer of the snapshot only passes it on, since tables may come
     *     whose labels of that attempt were not read yet
     * @param tables tables that the attempt loaded, the configured one even before that
     */
    public WriterState(
            String prefix,
            int subtask,
            int parallelism,
            long epoch,
            int attempt,
            long wallMillis,
            boolean inherited,
            List<Table> tables) {
        this.prefix = prefix;
        this.subtask = subtask;
        this.parallelism = parallelism;
        this.epoch = epoch;
        this.attempt = attempt;
        this.wallMillis = wallMillis;
        this.inherited = inherited;
        this.tables = List.copyOf(tables);
    }

    /** Label prefix. */
    public String prefix() {
        return prefix;
    }

    /** Number of the writer, from 0. */
    public int subtask() {
        return subtask;
    }

    /** Number of writers. */
    public int parallelism() {
        return parallelism;
    }

    /** Id of the checkpoint that the attempt restored from, 0 when it began afresh. */
    public long epoch() {
        return epoch;
    }

    /** Flink's number of the attempt. */
    public int attempt() {
        return attempt;
    }

    /** Wall clock of the snapshot, milliseconds since 1970. */
    public long wallMillis() {
        return wallMillis;
    }

    /** Whether a later attempt's writer only passes it on. */
    public boolean inherited() {
        return inherited;
    }

    /** The same, passed on by a later attempt. */
    WriterState asInherited() {
        return new WriterState(
                prefix, subtask, parallelism, epoch, attempt, wallMillis, true, tables);
    }

    /** Tables that the attempt loaded, the configured one even before that. */
    public List<Table> tables() {
        return tables;
    }

    /** State of one table. */
    public Optional<Table> table(String database, String name) {
        return tables.stream()
                .filter(table -> table.database().equals(database) && table.name().equals(name))
                .findFirst();
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof WriterState)) {
            return false;
        }
        WriterState that = (WriterState) other;
        return prefix.equals(that.prefix)
                && subtask == that.subtask
                && parallelism == that.parallelism
                && epoch == that.epoch
                && attempt == that.attempt
                && wallMillis == that.wallMillis
                && inherited == that.inherited
                && tables.equals(that.tables);
    }

    @Override
    public int hashCode() {
        return Objects.hash(
                prefix, subtask, parallelism, epoch, attempt, wallMillis, inherited, tables);
    }

    @Override
    public String toString() {
        return String.format(
                "WriterState{%s, subtask %d of %d, epoch %d, attempt %d%s, %s}",
                prefix,
                subtask,
                parallelism,
                epoch,
                attempt,
                inherited ? ", inherited" : "",
                tables);
    }

    /** One table of a writer. */
    public static final class Table {

        private final String database;
        private final String name;
        private final String op;
        private final long next;

        /**
         * @param op the part of the label that distinguishes sinks
         * @param next the first number that no load of the attempt used
         */
        public Table(String database, String name, String op, long next) {
            this.database = database;
            this.name = name;
            this.op = op;
            this.next = next;
        }

        public String database() {
            return database;
        }

        public String name() {
            return name;
        }

        /** The part of the label that distinguishes sinks; empty without two-phase commit. */
        public String op() {
            return op;
        }

        /** The first number that no load of the attempt used. */
        public long next() {
            return next;
        }

        @Override
        public boolean equals(Object other) {
            if (!(other instanceof Table)) {
                return false;
            }
            Table that = (Table) other;
            return database.equals(that.database)
                    && name.equals(that.name)
                    && op.equals(that.op)
                    && next == that.next;
        }

        @Override
        public int hashCode() {
            return Objects.hash(database, name, op, next);
        }

        @Override
        public String toString() {
            return database + "." + name + "/" + op + ":" + next;
        }
    }
}
