package org.apache.doris.flink.config;

import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;

import java.io.Serializable;
import java.util.List;

/**
 * One scan of a table as the planner left it: connection, reading, declared columns, produced
 * columns, pushed filter and limit, zone. Immutable; travels with the job to all its machines.
 */
public final class ScanConfig implements Serializable {

    private static final long serialVersionUID = 1L;

    /** Value of {@link #limit} that means no limit. */
    public static final long NO_LIMIT = -1;

    private final ConnectionConfig connection;
    private final ReadConfig read;
    private final RowType declared;
    private final List<ScanColumn> columns;
    private final String filter;
    private final long limit;
    private final String localTimeZone;

    /**
     * @param declared all physical columns of the declared table
     * @param columns what the scan produces, in order; may be empty
     * @param filter pushed predicate in Doris' dialect, or empty
     * @param limit most rows per split, or {@link #NO_LIMIT}
     * @param localTimeZone zone id of {@code table.local-time-zone}
     */
    public ScanConfig(
            ConnectionConfig connection,
            ReadConfig read,
            RowType declared,
            List<ScanColumn> columns,
            String filter,
            long limit,
            String localTimeZone) {
        this.connection = connection;
        this.read = read;
        this.declared = declared;
        this.columns = List.copyOf(columns);
        this.filter = filter;
        this.limit = limit;
        this.localTimeZone = localTimeZone;
    }

    /** Cluster, table and login. */
    public ConnectionConfig connection() {
        return connection;
    }

    /** How to read. */
    public ReadConfig read() {
        return read;
    }

    /** All declared physical columns. */
    public RowType declared() {
        return declared;
    }

    /** Produced columns in order. */
    public List<ScanColumn> columns() {
        return columns;
    }

    /** Pushed predicate or empty. */
    public String filter() {
        return filter;
    }

    /** Most rows per split, or {@link #NO_LIMIT}. */
    public long limit() {
        return limit;
    }

    /** Zone id of {@code table.local-time-zone}. */
    public String localTimeZone() {
        return localTimeZone;
    }

    /** Type of the rows that the scan produces. */
    public RowType producedType() {
        return RowType.of(
                false,
                columns.stream().map(ScanColumn::type).toArray(LogicalType[]::new),
                uniqueNames());
    }

    private String[] uniqueNames() {
        String[] names = new String[columns.size()];
        for (int i = 0; i < names.length; i++) {
            names[i] = columns.get(i).name() + "$" + i;
        }
        return names;
    }
}
