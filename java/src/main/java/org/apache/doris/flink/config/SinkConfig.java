package org.apache.doris.flink.config;

import org.apache.flink.annotation.Internal;
import org.apache.flink.table.types.logical.RowType;

import java.io.Serializable;
import java.util.Optional;
import java.util.UUID;

/**
 * One sink as it was planned: connection, writing, declared columns, zone, label prefix. Immutable;
 * travels with the job to all its machines, so that all subtasks and attempts share the drawn
 * prefix.
 */
@Internal
public final class SinkConfig implements Serializable {

    private static final long serialVersionUID = 1L;

    private static final int DRAWN_DIGITS = 16;

    private final ConnectionConfig connection;
    private final WriteConfig write;
    private final RowType declared;
    private final String localTimeZone;
    private final String drawnPrefix;
    private final boolean unordered;

    /**
     * @param declared all columns of the rows, in order; null when a serializer of the user writes
     *     the bytes
     * @param localTimeZone zone id of {@code table.local-time-zone}
     */
    public SinkConfig(
            ConnectionConfig connection,
            WriteConfig write,
            RowType declared,
            String localTimeZone) {
        this(connection, write, declared, localTimeZone, drawn(), false);
    }

    private SinkConfig(
            ConnectionConfig connection,
            WriteConfig write,
            RowType declared,
            String localTimeZone,
            String drawnPrefix,
            boolean unordered) {
        this.connection = connection;
        this.write = write;
        this.declared = declared;
        this.localTimeZone = localTimeZone;
        this.drawnPrefix = drawnPrefix;
        this.unordered = unordered;
    }

    private static String drawn() {
        return "flink_" + UUID.randomUUID().toString().replace("-", "").substring(0, DRAWN_DIGITS);
    }

    /** The same sink for rows that change one another and that nothing brings in order. */
    public SinkConfig unordered() {
        return new SinkConfig(connection, write, declared, localTimeZone, drawnPrefix, true);
    }

    /**
     * Whether changes of one row may come to different subtasks: the input updates or deletes, and
     * no primary key is declared by which Flink could bring it in order.
     */
    public boolean isUnordered() {
        return unordered;
    }

    /** Cluster, table and login. */
    public ConnectionConfig connection() {
        return connection;
    }

    public WriteConfig write() {
        return write;
    }

    /** The columns of the rows; empty when a serializer of the user writes the bytes. */
    public Optional<RowType> declared() {
        return Optional.ofNullable(declared);
    }

    /** Zone id of {@code table.local-time-zone}. */
    public String localTimeZone() {
        return localTimeZone;
    }

    /**
     * Start of all labels: the user's, else one drawn when this object was made. A prefix in
     * restored state comes before a drawn one.
     */
    public String labelPrefix() {
        return write.labelPrefix().orElse(drawnPrefix);
    }

    /** Whether {@link #labelPrefix} was drawn, so that one in restored state takes its place. */
    public boolean isPrefixDrawn() {
        return write.labelPrefix().isEmpty();
    }

    @Override
    public String toString() {
        return "SinkConfig{" + connection + ", " + write + '}';
    }
}
