package org.apache.doris.flink.config;

import org.apache.flink.annotation.Internal;
import org.apache.flink.table.types.logical.RowType;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
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
    private final int[] written;
    private final String columns;

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
        this(connection, write, declared, localTimeZone, drawn(), false, null, null);
    }

    private SinkConfig(
            ConnectionConfig connection,
            WriteConfig write,
            RowType declared,
            String localTimeZone,
            String drawnPrefix,
            boolean unordered,
            int[] written,
            String columns) {
        this.connection = connection;
        this.write = write;
        this.declared = declared;
        this.localTimeZone = localTimeZone;
        this.drawnPrefix = drawnPrefix;
        this.unordered = unordered;
        this.written = written;
        this.columns = columns;
    }

    private static String drawn() {
        return "flink_" + UUID.randomUUID().toString().replace("-", "").substring(0, DRAWN_DIGITS);
    }

    /** The same sink for rows that change one another and that nothing brings in order. */
    public SinkConfig unordered() {
        return new SinkConfig(
                connection, write, declared, localTimeZone, drawnPrefix, true, written, columns);
    }

    /** The same sink for another table of the same database. */
    public SinkConfig into(String table) {
        return new SinkConfig(
                connection.withTable(table),
                write,
                declared,
                localTimeZone,
                drawnPrefix,
                unordered,
                written,
                columns);
    }

    /**
     * The same sink, which writes some of the columns of its rows.
     *
     * @param positions of these in the declared columns
     * @param list of their names in Doris, in place of the user's {@code columns}
     */
    public SinkConfig only(int[] positions, String list) {
        List<RowType.RowField> fields = new ArrayList<>();
        for (int position : positions) {
            fields.add(declared.getFields().get(position));
        }
        return new SinkConfig(
                connection,
                write,
                new RowType(declared.isNullable(), fields),
                localTimeZone,
                drawnPrefix,
                unordered,
                positions.clone(),
                list);
    }

    /** Where the declared columns are in the rows; empty when they are all of them, in order. */
    public Optional<int[]> written() {
        return Optional.ofNullable(written).map(int[]::clone);
    }

    /** What loads send as {@code columns} in place of the user's; empty for that. */
    Optional<String> columns() {
        return Optional.ofNullable(columns);
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
