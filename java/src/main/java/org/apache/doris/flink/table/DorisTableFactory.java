package org.apache.doris.flink.table;

import org.apache.doris.flink.config.ChangelogConfig;
import org.apache.doris.flink.config.ConnectionConfig;
import org.apache.doris.flink.config.ReadConfig;
import org.apache.doris.flink.config.option.DorisConfigOptions;
import org.apache.doris.flink.config.option.DorisOption;
import org.apache.doris.flink.config.option.OptionKeys;
import org.apache.doris.flink.config.option.OptionValues;
import org.apache.doris.flink.config.option.ReadOptions;
import org.apache.doris.flink.config.plan.SinkPlan;
import org.apache.doris.flink.config.rule.ChangelogRules;
import org.apache.doris.flink.config.rule.OptionRules;
import org.apache.doris.flink.types.DorisTypes;
import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.api.config.ExecutionConfigOptions;
import org.apache.flink.table.api.config.TableConfigOptions;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.factories.DynamicTableSinkFactory;
import org.apache.flink.table.factories.DynamicTableSourceFactory;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.RowType;

import java.time.ZoneId;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Tables {@code WITH ('connector' = 'doris')}. Checks all options when a table is planned; contacts
 * no server and loads no native code.
 */
@Internal
public final class DorisTableFactory implements DynamicTableSourceFactory, DynamicTableSinkFactory {

    private static final Set<ConfigOption<?>> REQUIRED =
            DorisConfigOptions.all().stream()
                    .filter(DorisOption::isRequired)
                    .map(DorisOption::option)
                    .collect(Collectors.toUnmodifiableSet());

    @Override
    public String factoryIdentifier() {
        return DorisConfigOptions.IDENTIFIER;
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return REQUIRED;
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        Set<ConfigOption<?>> optional = new LinkedHashSet<>();
        DorisConfigOptions.all().forEach(option -> optional.add(option.option()));
        optional.removeAll(REQUIRED);
        return optional;
    }

    @Override
    public DynamicTableSource createDynamicTableSource(Context context) {
        OptionValues options = resolve(context);
        OptionRules.checkValues(options);
        ConnectionConfig connection = ConnectionConfig.from(options);
        ReadConfig read = ReadConfig.from(options);
        ResolvedSchema schema = context.getCatalogTable().getResolvedSchema();
        Set<String> primaryKey =
                schema.getPrimaryKey()
                        .map(key -> new LinkedHashSet<>(key.getColumns()))
                        .orElseGet(LinkedHashSet::new);
        ChangelogConfig changelog = ChangelogConfig.from(options);
        boolean batch =
                context.getConfiguration().get(ExecutionOptions.RUNTIME_MODE)
                        == RuntimeExecutionMode.BATCH;
        ChangelogRules.check(options, changelog, connection, !primaryKey.isEmpty(), batch);
        OptionRules.warnOfIgnoredInSql(options);

        DataType physical = context.getPhysicalRowDataType();
        DorisTypes.checkReadable(
                connection.table().toString(), (RowType) physical.getLogicalType());
        MetadataColumns.check(connection.table().toString(), schema);
        return new DorisTableSource(
                connection,
                read,
                changelog,
                physical,
                primaryKey,
                options.get(ReadOptions.SCAN_PARALLELISM),
                localTimeZone(context.getConfiguration()),
                context.getConfiguration(),
                options.warnings());
    }

    @Override
    public DynamicTableSink createDynamicTableSink(Context context) {
        Map<String, String> given = context.getCatalogTable().getOptions();
        requirePresent(given);
        RowType declared = (RowType) context.getPhysicalRowDataType().getLogicalType();
        ReadableConfig config = context.getConfiguration();
        return new DorisTableSink(
                SinkPlan.ofRows(given, declared, localTimeZone(config)),
                context.getCatalogTable().getResolvedSchema().getPrimaryKey().isPresent(),
                defaultParallelism(config));
    }

    /** Of the job as far as it is known now, else null. */
    private static Integer defaultParallelism(ReadableConfig config) {
        int ofTables = config.get(ExecutionConfigOptions.TABLE_EXEC_RESOURCE_DEFAULT_PARALLELISM);
        return ofTables > 0
                ? Integer.valueOf(ofTables)
                : config.getOptional(CoreOptions.DEFAULT_PARALLELISM).orElse(null);
    }

    private static OptionValues resolve(Context context) {
        Map<String, String> given = context.getCatalogTable().getOptions();
        OptionValues options = OptionKeys.resolve(given, false);
        requirePresent(given);
        return options;
    }

    /** In the words of Flink's own helper. */
    private static void requirePresent(Map<String, String> given) {
        StringBuilder missing = new StringBuilder();
        REQUIRED.stream()
                .map(ConfigOption::key)
                .filter(key -> !given.containsKey(key))
                .sorted()
                .forEach(key -> missing.append('\n').append(key));
        if (missing.length() > 0) {
            throw new ValidationException(
                    "One or more required options are missing.\n\nMissing required options are:\n"
                            + missing);
        }
    }

    private static String localTimeZone(ReadableConfig config) {
        String zone = config.get(TableConfigOptions.LOCAL_TIME_ZONE);
        return TableConfigOptions.LOCAL_TIME_ZONE.defaultValue().equals(zone)
                ? ZoneId.systemDefault().getId()
                : ZoneId.of(zone).getId();
    }
}
