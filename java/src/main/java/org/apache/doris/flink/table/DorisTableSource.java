package org.apache.doris.flink.table;

import org.apache.doris.flink.config.ChangelogConfig;
import org.apache.doris.flink.config.ConnectionConfig;
import org.apache.doris.flink.config.IncrementType;
import org.apache.doris.flink.config.MetadataColumn;
import org.apache.doris.flink.config.ReadConfig;
import org.apache.doris.flink.config.ScanColumn;
import org.apache.doris.flink.config.ScanConfig;
import org.apache.doris.flink.source.DorisSource;
import org.apache.doris.flink.types.DorisTypes;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.LookupTableSource;
import org.apache.flink.table.connector.source.ScanTableSource;
import org.apache.flink.table.connector.source.SourceProvider;
import org.apache.flink.table.connector.source.abilities.SupportsFilterPushDown;
import org.apache.flink.table.connector.source.abilities.SupportsLimitPushDown;
import org.apache.flink.table.connector.source.abilities.SupportsProjectionPushDown;
import org.apache.flink.table.connector.source.abilities.SupportsReadingMetadata;
import org.apache.flink.table.connector.source.abilities.SupportsWatermarkPushDown;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.expressions.FieldReferenceExpression;
import org.apache.flink.table.expressions.ResolvedExpression;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

/**
 * A Doris table as the planner sees it: takes projection, filters, a limit, metadata columns and
 * watermarks. Aggregates stay in Flink. A copy shares nothing that changes but whether the warnings
 * were logged, so that each scan of a query keeps its own filter.
 *
 * <p>Where changes are followed, limits stay in Flink, and so do filters that other columns than
 * the primary key's could take part in: a normaliser may sit between this source and Flink's own
 * filter, and would then miss half of an update. Rows that are inserts alone have no such halves.
 */
final class DorisTableSource
        implements ScanTableSource,
                LookupTableSource,
                SupportsProjectionPushDown,
                SupportsFilterPushDown,
                SupportsLimitPushDown,
                SupportsReadingMetadata,
                SupportsWatermarkPushDown {

    private static final Logger LOG = LoggerFactory.getLogger(DorisTableSource.class);

    private final ConnectionConfig connection;
    private final ReadConfig read;
    private final ChangelogConfig changelog;
    private final RowType declared;
    private final Set<String> primaryKey;
    private final Integer parallelism;
    private final String localTimeZone;
    private final ReadableConfig planner;
    private final List<String> warnings;
    private final AtomicBoolean warned;

    private DataType producedDataType;
    private List<ScanColumn> columns;
    private List<MetadataColumn> metadata = List.of();
    private WatermarkStrategy<RowData> watermarks;
    private List<FilterPredicate> filters = List.of();
    private boolean filterStaysBehind;
    private long limit = ScanConfig.NO_LIMIT;

    /**
     * @param physical declared physical columns
     * @param primaryKey names of the columns of the declared primary key; empty without one
     * @param parallelism of the source, or null for the planner's
     * @param planner the planner's configuration, which changes during the session
     * @param warnings what the user should know; logged when a job is made of the table
     */
    DorisTableSource(
            ConnectionConfig connection,
            ReadConfig read,
            ChangelogConfig changelog,
            DataType physical,
            Set<String> primaryKey,
            Integer parallelism,
            String localTimeZone,
            ReadableConfig planner,
            List<String> warnings) {
        this.connection = connection;
        this.read = read;
        this.changelog = changelog;
        this.declared = (RowType) DorisTypes.plain(physical.getLogicalType().copy(true));
        this.primaryKey = Set.copyOf(primaryKey);
        this.parallelism = parallelism;
        this.localTimeZone = localTimeZone;
        this.planner = planner;
        this.warnings = List.copyOf(warnings);
        this.warned = new AtomicBoolean();
        this.producedDataType = physical;
        this.columns = ScanColumn.allOf(declared);
    }

    private DorisTableSource(DorisTableSource other) {
        this.connection = other.connection;
        this.read = other.read;
        this.changelog = other.changelog;
        this.declared = other.declared;
        this.primaryKey = other.primaryKey;
        this.parallelism = other.parallelism;
        this.localTimeZone = other.localTimeZone;
        this.planner = other.planner;
        this.warnings = other.warnings;
        this.warned = other.warned;
        this.producedDataType = other.producedDataType;
        this.columns = other.columns;
        this.metadata = other.metadata;
        this.watermarks = other.watermarks;
        this.filters = other.filters;
        this.filterStaysBehind = other.filterStaysBehind;
        this.limit = other.limit;
    }

    @Override
    public ChangelogMode getChangelogMode() {
        if (changelog.isInsertOnly()) {
            return ChangelogMode.insertOnly();
        }
        // Newer versions of Flink learn by this that a delete may carry the key alone.
        return changelog.changelogMode() == ChangelogConfig.ChangeMode.UPSERT
                ? ChangelogMode.upsert()
                : ChangelogMode.all();
    }

    @Override
    public ScanRuntimeProvider getScanRuntimeProvider(ScanContext context) {
        // The planner calls this several times.
        if (warned.compareAndSet(false, true)) {
            warnings.forEach(warning -> LOG.warn("Table {}: {}", connection.table(), warning));
        }
        TypeInformation<RowData> type = context.createTypeInformation(producedDataType);
        ScanConfig scan = scanConfig().withCopiedRows(areRowsCopied());
        if (watermarks == null && changelog.scanMode().isSnapshotOnly()) {
            return SourceProvider.of(DorisSource.rowData(scan, type), parallelism);
        }
        return new DorisScanProvider(
                scan,
                type,
                watermarks == null ? WatermarkStrategy.noWatermarks() : watermarks,
                parallelism,
                planner);
    }

    @Override
    public LookupRuntimeProvider getLookupRuntimeProvider(LookupContext context) {
        throw new ValidationException(
                String.format(
                        "A lookup join with Doris is not supported yet: table %s (option"
                            + " 'connector' = 'doris') is the right side of FOR SYSTEM_TIME AS"
                            + " OF.%s Join it as an ordinary table, without FOR SYSTEM_TIME AS OF.",
                        connection.table(),
                        changelog.jdbcUrl().isPresent()
                                ? ""
                                : " It would need option 'jdbc-url', too."));
    }

    @Override
    public boolean supportsNestedProjection() {
        return true;
    }

    @Override
    public void applyProjection(int[][] projectedFields, DataType producedDataType) {
        List<LogicalType> types = producedDataType.getLogicalType().getChildren();
        List<ScanColumn> projected = new ArrayList<>(projectedFields.length);
        for (int i = 0; i < projectedFields.length; i++) {
            projected.add(column(projectedFields[i], types.get(i)));
        }
        this.columns = List.copyOf(projected);
        this.producedDataType = producedDataType;
    }

    /** What the planner wants of {@link MetadataColumns#readable}, after the columns. */
    @Override
    public Map<String, DataType> listReadableMetadata() {
        return MetadataColumns.readable();
    }

    @Override
    public void applyReadableMetadata(List<String> keys, DataType producedDataType) {
        this.metadata =
                keys.stream()
                        .map(key -> MetadataColumn.ofKey(key).orElseThrow())
                        .collect(Collectors.toUnmodifiableList());
        this.producedDataType = producedDataType;
    }

    /** Watermarks are then made per split, and Flink can align splits with each other. */
    @Override
    public void applyWatermark(WatermarkStrategy<RowData> watermarkStrategy) {
        this.watermarks = watermarkStrategy;
    }

    /** A filter is accepted when Doris answers it like Flink, else it stays in Flink as well. */
    @Override
    public Result applyFilters(List<ResolvedExpression> candidates) {
        FilterTranslator translator = new FilterTranslator(declared);
        List<FilterPredicate> pushed = new ArrayList<>(filters);
        List<ResolvedExpression> accepted = new ArrayList<>();
        List<ResolvedExpression> remaining = new ArrayList<>();
        for (ResolvedExpression candidate : candidates) {
            Optional<FilterPredicate> predicate =
                    mayPush(candidate) ? translator.translate(candidate) : Optional.empty();
            predicate.ifPresent(
                    translated -> {
                        pushed.add(translated);
                        accepted.add(candidate);
                    });
            if (predicate.isEmpty() || !predicate.get().isExact()) {
                remaining.add(candidate);
            }
        }
        filters = List.copyOf(pushed);
        filterStaysBehind |= !remaining.isEmpty();
        return Result.of(accepted, remaining);
    }

    private boolean mayPush(ResolvedExpression candidate) {
        return changelog.scanMode().isSnapshotOnly()
                || changelog.incrementType() == IncrementType.APPEND_ONLY
                || !primaryKey.isEmpty() && ofPrimaryKey(candidate);
    }

    /** Whether all columns that an expression names are the primary key's. */
    private boolean ofPrimaryKey(ResolvedExpression expression) {
        return expression instanceof FieldReferenceExpression
                ? primaryKey.contains(((FieldReferenceExpression) expression).getName())
                : expression.getResolvedChildren().stream().allMatch(this::ofPrimaryKey);
    }

    /** Flink keeps its own limit on top, so that each split may return this many rows. */
    @Override
    public void applyLimit(long limit) {
        this.limit = changelog.scanMode().isSnapshotOnly() ? limit : ScanConfig.NO_LIMIT;
    }

    @Override
    public DynamicTableSource copy() {
        return new DorisTableSource(this);
    }

    @Override
    public String asSummaryString() {
        return "Doris[" + connection.table() + "]";
    }

    /** What the user should know. */
    List<String> warnings() {
        return warnings;
    }

    /** The scan as it was planned so far. */
    ScanConfig scanConfig() {
        return new ScanConfig(
                connection,
                read,
                declared,
                columns,
                filters.isEmpty() ? "" : FilterPredicate.and(filters).sql(),
                filterStaysBehind ? ScanConfig.NO_LIMIT : limit,
                localTimeZone,
                changelog,
                metadata);
    }

    private boolean areRowsCopied() {
        return planner.get(ExecutionOptions.RUNTIME_MODE) == RuntimeExecutionMode.STREAMING
                && !planner.get(PipelineOptions.OBJECT_REUSE);
    }

    /** A value inside a row that may be NULL may be NULL itself, whatever its own type is. */
    private ScanColumn column(int[] indexPath, LogicalType producedType) {
        List<String> path = new ArrayList<>(indexPath.length);
        RowType row = declared;
        boolean nullable = producedType.isNullable();
        for (int step = 0; step < indexPath.length; step++) {
            RowType.RowField field = row.getFields().get(indexPath[step]);
            path.add(field.getName());
            if (step < indexPath.length - 1) {
                nullable |= field.getType().isNullable();
                row = (RowType) field.getType();
            }
        }
        return new ScanColumn(path, DorisTypes.plain(producedType).copy(nullable));
    }
}
