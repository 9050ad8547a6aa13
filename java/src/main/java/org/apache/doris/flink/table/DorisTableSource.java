package org.apache.doris.flink.table;

import org.apache.doris.flink.config.ConnectionConfig;
import org.apache.doris.flink.config.ReadConfig;
import org.apache.doris.flink.config.ScanColumn;
import org.apache.doris.flink.config.ScanConfig;
import org.apache.doris.flink.source.DorisSource;
import org.apache.doris.flink.types.DorisTypes;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.LookupTableSource;
import org.apache.flink.table.connector.source.ScanTableSource;
import org.apache.flink.table.connector.source.SourceProvider;
import org.apache.flink.table.connector.source.abilities.SupportsFilterPushDown;
import org.apache.flink.table.connector.source.abilities.SupportsLimitPushDown;
import org.apache.flink.table.connector.source.abilities.SupportsProjectionPushDown;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.expressions.ResolvedExpression;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

/**
 * A Doris table as the planner sees it: takes projection, filters and a limit. Aggregates stay in
 * Flink. A copy shares nothing that changes but whether the warnings were told, so that each scan
 * of a query keeps its own filter.
 */
final class DorisTableSource
        implements ScanTableSource,
                LookupTableSource,
                SupportsProjectionPushDown,
                SupportsFilterPushDown,
                SupportsLimitPushDown {

    private static final Logger LOG = LoggerFactory.getLogger(DorisTableSource.class);

    private final ConnectionConfig connection;
    private final ReadConfig read;
    private final RowType declared;
    private final Integer parallelism;
    private final String localTimeZone;
    private final boolean hasJdbcUrl;
    private final List<String> warnings;
    private final AtomicBoolean warned;

    private DataType producedDataType;
    private List<ScanColumn> columns;
    private List<FilterPredicate> filters = List.of();
    private boolean filterStaysBehind;
    private long limit = ScanConfig.NO_LIMIT;

    /**
     * @param physical declared physical columns
     * @param parallelism of the source, or null for the planner's
     * @param hasJdbcUrl whether option {@code jdbc-url} is set, which a lookup needs
     * @param warnings what the user should know; logged when a job is made of the table
     */
    DorisTableSource(
            ConnectionConfig connection,
            ReadConfig read,
            DataType physical,
            Integer parallelism,
            String localTimeZone,
            boolean hasJdbcUrl,
            List<String> warnings) {
        this.connection = connection;
        this.read = read;
        this.declared = (RowType) DorisTypes.plain(physical.getLogicalType().copy(true));
        this.parallelism = parallelism;
        this.localTimeZone = localTimeZone;
        this.hasJdbcUrl = hasJdbcUrl;
        this.warnings = List.copyOf(warnings);
        this.warned = new AtomicBoolean();
        this.producedDataType = physical;
        this.columns =
                declared.getFields().stream()
                        .map(field -> new ScanColumn(List.of(field.getName()), field.getType()))
                        .collect(Collectors.toList());
    }

    private DorisTableSource(DorisTableSource other) {
        this.connection = other.connection;
        this.read = other.read;
        this.declared = other.declared;
        this.parallelism = other.parallelism;
        this.localTimeZone = other.localTimeZone;
        this.hasJdbcUrl = other.hasJdbcUrl;
        this.warnings = other.warnings;
        this.warned = other.warned;
        this.producedDataType = other.producedDataType;
        this.columns = other.columns;
        this.filters = other.filters;
        this.filterStaysBehind = other.filterStaysBehind;
        this.limit = other.limit;
    }

    @Override
    public ChangelogMode getChangelogMode() {
        return ChangelogMode.insertOnly();
    }

    @Override
    public ScanRuntimeProvider getScanRuntimeProvider(ScanContext context) {
        // The planner asks several times.
        if (warned.compareAndSet(false, true)) {
            warnings.forEach(warning -> LOG.warn("Table {}: {}", connection.table(), warning));
        }
        TypeInformation<RowData> type = context.createTypeInformation(producedDataType);
        return SourceProvider.of(DorisSource.rowData(scanConfig(), type), parallelism);
    }

    @Override
    public LookupRuntimeProvider getLookupRuntimeProvider(LookupContext context) {
        throw new ValidationException(
                String.format(
                        "A lookup join with Doris is not supported yet: table %s (option"
                            + " 'connector' = 'doris') is the right side of FOR SYSTEM_TIME AS"
                            + " OF.%s Join it as an ordinary table, without FOR SYSTEM_TIME AS OF.",
                        connection.table(),
                        hasJdbcUrl ? "" : " It would need option 'jdbc-url', too."));
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

    /** A filter is accepted when Doris answers it like Flink, else it stays in Flink as well. */
    @Override
    public Result applyFilters(List<ResolvedExpression> candidates) {
        FilterTranslator translator = new FilterTranslator(declared);
        List<FilterPredicate> pushed = new ArrayList<>(filters);
        List<ResolvedExpression> accepted = new ArrayList<>();
        List<ResolvedExpression> remaining = new ArrayList<>();
        for (ResolvedExpression candidate : candidates) {
            Optional<FilterPredicate> predicate = translator.translate(candidate);
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

    /** Flink keeps its own limit on top, so that each split may return this many rows. */
    @Override
    public void applyLimit(long limit) {
        this.limit = limit;
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
                localTimeZone);
    }

    /** A value inside a row that may be NULL may be NULL itself, whatever its own type says. */
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
