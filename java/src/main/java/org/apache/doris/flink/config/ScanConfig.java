package org.apache.doris.flink.config;

import org.apache.flink.annotation.Internal;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;

import java.io.Serializable;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * One scan of a table as the planner left it: connection, reading, following of changes, declared
 * columns, produced columns, pushed filter and limit, zone. Immutable; travels with the job to all
 * its machines.
 */
@Internal
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
    private final ChangelogConfig changelog;
    private final List<MetadataColumn> metadata;
    private final List<String> undeclared;
    private final boolean copiedRows;

    /**
     * A scan of the current content alone.
     *
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
        this(
                connection,
                read,
                declared,
                columns,
                filter,
                limit,
                localTimeZone,
                ChangelogConfig.snapshot(),
                List.of());
    }

    /**
     * @param declared all physical columns of the declared table
     * @param columns what the scan produces of them, in order; may be empty
     * @param filter pushed predicate in Doris' dialect, or empty; where changes are followed it
     *     names key columns alone, or the increment type is {@code append_only}
     * @param limit most rows per split, or {@link #NO_LIMIT}; none where changes are followed
     * @param localTimeZone zone id of {@code table.local-time-zone}
     * @param metadata what the scan produces after the columns, in order
     */
    public ScanConfig(
            ConnectionConfig connection,
            ReadConfig read,
            RowType declared,
            List<ScanColumn> columns,
            String filter,
            long limit,
            String localTimeZone,
            ChangelogConfig changelog,
            List<MetadataColumn> metadata) {
        this(
                connection,
                read,
                declared,
                columns,
                filter,
                limit,
                localTimeZone,
                changelog,
                metadata,
                null,
                false);
    }

    private ScanConfig(
            ConnectionConfig connection,
            ReadConfig read,
            RowType declared,
            List<ScanColumn> columns,
            String filter,
            long limit,
            String localTimeZone,
            ChangelogConfig changelog,
            List<MetadataColumn> metadata,
            List<String> undeclared,
            boolean copiedRows) {
        this.connection = connection;
        this.read = read;
        this.declared = declared;
        this.columns = List.copyOf(columns);
        this.filter = filter;
        this.limit = limit;
        this.localTimeZone = localTimeZone;
        this.changelog = changelog;
        this.metadata = List.copyOf(metadata);
        this.undeclared = undeclared == null ? null : List.copyOf(undeclared);
        this.copiedRows = copiedRows;
    }

    /**
     * A scan of columns without declared types: these are learned when the job starts, by {@link
     * #declare}. Nothing can be read before.
     *
     * @param names columns to read, in order; empty for all that the table has then
     */
    public static ScanConfig undeclared(
            ConnectionConfig connection,
            ReadConfig read,
            List<String> names,
            long limit,
            String localTimeZone,
            ChangelogConfig changelog,
            List<MetadataColumn> metadata) {
        return new ScanConfig(
                connection,
                read,
                RowType.of(),
                List.of(),
                "",
                limit,
                localTimeZone,
                changelog,
                metadata,
                names,
                false);
    }

    /** Names of columns whose types are not known yet; absent as a rule. */
    public Optional<List<String>> undeclared() {
        return Optional.ofNullable(undeclared);
    }

    /** The same scan with the columns that it was to learn of. */
    public ScanConfig declare(RowType learned) {
        return with(learned, ScanColumn.allOf(learned), changelog, null, copiedRows);
    }

    /** The same scan of a job whose checkpoints are known. */
    public ScanConfig withCheckpointInterval(OptionalLong millis) {
        return with(
                declared,
                columns,
                changelog.withCheckpointInterval(millis),
                undeclared,
                copiedRows);
    }

    /** The same scan where Flink copies each row: see {@link #copiedRows}. */
    public ScanConfig withCopiedRows(boolean copied) {
        return with(declared, columns, changelog, undeclared, copied);
    }

    private ScanConfig with(
            RowType declared,
            List<ScanColumn> columns,
            ChangelogConfig changelog,
            List<String> undeclared,
            boolean copiedRows) {
        return new ScanConfig(
                connection,
                read,
                declared,
                columns,
                filter,
                limit,
                localTimeZone,
                changelog,
                metadata,
                undeclared,
                copiedRows);
    }

    /**
     * Whether Flink copies each row on its way to the next operator, as it does in streaming
     * execution without object re-use. Rows are made in the form that it copies fastest then.
     */
    public boolean copiedRows() {
        return copiedRows;
    }

    /** Cluster, table and login. */
    public ConnectionConfig connection() {
        return connection;
    }

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

    /** Where to start and how to follow changes; of snapshot mode where none are followed. */
    public ChangelogConfig changelog() {
        return changelog;
    }

    /** What a produced row holds after {@link #columns}, in this order. */
    public List<MetadataColumn> metadata() {
        return metadata;
    }

    /** Type of the columns that the scan produces, without {@link #metadata}. */
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
