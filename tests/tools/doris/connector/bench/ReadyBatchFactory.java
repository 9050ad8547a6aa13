package doris.connector.bench;

import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.ScanTableSource;
import org.apache.flink.table.connector.source.SourceProvider;
import org.apache.flink.table.factories.DynamicTableSourceFactory;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.types.logical.RowType;

import java.util.Set;

/**
 * A table that costs nothing to make: one batch of on-heap vectors, served again and again through
 * the same reader base class as a connector's. What a job over it costs is Flink's own part.
 */
public final class ReadyBatchFactory implements DynamicTableSourceFactory {
    private static final ConfigOption<Long> ROWS =
            ConfigOptions.key("rows").longType().noDefaultValue();
    private static final ConfigOption<Integer> BATCH_ROWS =
            ConfigOptions.key("batch-rows").intType().defaultValue(16_384);
    private static final ConfigOption<Boolean> MIXED =
            ConfigOptions.key("mixed").booleanType().defaultValue(false);
    private static final ConfigOption<Boolean> BINARY =
            ConfigOptions.key("binary").booleanType().defaultValue(false);

    @Override
    public DynamicTableSource createDynamicTableSource(Context context) {
        FactoryUtil.TableFactoryHelper helper = FactoryUtil.createTableFactoryHelper(this, context);
        helper.validate();
        RowType type = (RowType) context.getPhysicalRowDataType().getLogicalType();
        return new Table(
                new ReadyBatchSource(
                        type,
                        helper.getOptions().get(ROWS),
                        helper.getOptions().get(BATCH_ROWS),
                        helper.getOptions().get(MIXED),
                        helper.getOptions().get(BINARY)));
    }

    @Override
    public String factoryIdentifier() {
        return "ready-batch";
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return Set.of(ROWS);
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        return Set.of(BATCH_ROWS, MIXED, BINARY);
    }

    private static final class Table implements ScanTableSource {
        private final ReadyBatchSource source;

        Table(ReadyBatchSource source) {
            this.source = source;
        }

        @Override
        public ChangelogMode getChangelogMode() {
            return ChangelogMode.insertOnly();
        }

        @Override
        public ScanRuntimeProvider getScanRuntimeProvider(ScanContext context) {
            return SourceProvider.of(source);
        }

        @Override
        public DynamicTableSource copy() {
            return this;
        }

        @Override
        public String asSummaryString() {
            return "ready batch";
        }
    }
}
