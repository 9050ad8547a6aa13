package org.apache.doris.flink.sink;

import org.apache.doris.flink.cfg.DorisExecutionOptions;
import org.apache.doris.flink.cfg.DorisOptions;
import org.apache.doris.flink.cfg.DorisReadOptions;
import org.apache.doris.flink.cfg.ObjectOptions;
import org.apache.doris.flink.config.Delimiter;
import org.apache.doris.flink.config.LoadProperties;
import org.apache.doris.flink.config.SinkConfig;
import org.apache.doris.flink.config.option.SinkOptions;
import org.apache.doris.flink.config.plan.SinkPlan;
import org.apache.doris.flink.sink.writer.LoadConstants;
import org.apache.doris.flink.sink.writer.serializer.DorisRecordSerializer;
import org.apache.doris.flink.sink.writer.serializer.JsonDebeziumSchemaSerializer;
import org.apache.doris.flink.sink.writer.serializer.RowDataSerializer;
import org.apache.flink.table.api.ValidationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.ZoneId;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;

/**
 * From the options objects of a DataStream job to the configuration of a sink, by the rules that
 * hold for tables. What the user passed in is read, never changed.
 */
final class DorisSinkBuilder<IN> {

    private static final Logger LOG = LoggerFactory.getLogger(DorisSinkBuilder.class);

    private static final String STRICT_MODE = "strict_mode";

    private DorisOptions options;
    private DorisReadOptions readOptions = DorisReadOptions.defaults();
    private DorisExecutionOptions executionOptions;
    private DorisRecordSerializer<IN> serializer;

    void setOptions(DorisOptions options) {
        this.options = options;
    }

    void setReadOptions(DorisReadOptions readOptions) {
        this.readOptions = readOptions == null ? DorisReadOptions.defaults() : readOptions;
    }

    void setExecutionOptions(DorisExecutionOptions executionOptions) {
        this.executionOptions = executionOptions;
    }

    void setSerializer(DorisRecordSerializer<IN> serializer) {
        this.serializer = serializer;
    }

    /** The serializer; the sink calls it only where {@link #config} declares no columns. */
    DorisRecordSerializer<IN> serializer() {
        return Objects.requireNonNull(serializer, "The serializer of the Doris sink is missing.");
    }

    /**
     * The checked configuration. It declares columns when rows are taken column by column: with a
     * {@link RowDataSerializer}.
     *
     * @throws ValidationException for whatever is wrong with the options
     */
    SinkConfig config() {
        Objects.requireNonNull(options, "The DorisOptions of the Doris sink are missing.");
        Objects.requireNonNull(
                executionOptions, "The DorisExecutionOptions of the Doris sink are missing.");
        Map<String, String> map = ObjectOptions.ofSink(options, readOptions, executionOptions);
        String zone = ZoneId.systemDefault().getId();
        SinkPlan plan;
        if (serializer() instanceof RowDataSerializer) {
            plan = ofRows(map, (RowDataSerializer) serializer);
        } else if (serializer() instanceof JsonDebeziumSchemaSerializer) {
            plan = ofChanges(map, zone);
        } else {
            plan = SinkPlan.ofBytes(map, zone);
        }
        plan.warnings().forEach(warning -> LOG.warn("Sink of {}: {}", target(), warning));
        return plan.config();
    }

    private SinkPlan ofRows(Map<String, String> map, RowDataSerializer rows) {
        Properties properties = executionOptions.getStreamLoadProp();
        String format = value(properties, LoadConstants.FORMAT_KEY, LoadConstants.CSV);
        if (!format.trim().toLowerCase(Locale.ROOT).equals(rows.getType())) {
            throw new ValidationException(
                    String.format(
                            "The RowDataSerializer has type '%s', but the Stream Load parameter"
                                    + " 'format' is '%s'. Give both of them the same value.",
                            rows.getType(), format));
        }
        String separator =
                value(
                        properties,
                        LoadConstants.FIELD_DELIMITER_KEY,
                        LoadConstants.FIELD_DELIMITER_DEFAULT);
        if (rows.getType().equals(LoadConstants.CSV)
                && !Delimiter.resolve(separator).equals(rows.getFieldDelimiter())) {
            throw new ValidationException(
                    String.format(
                            "The RowDataSerializer has another field delimiter than the Stream Load"
                                + " parameter 'column_separator', which is '%s'. Give both of them"
                                + " the same value.",
                            separator));
        }
        if (!rows.isEnableDelete()) {
            map.put("sink.enable-delete", "false");
        }
        return SinkPlan.ofRows(map, rows.getRowType(), rows.getZone());
    }

    /**
     * Doris makes NULL of what it cannot convert unless the mode is strict, and the records tell
     * nothing of the columns that would be checked before.
     */
    private SinkPlan ofChanges(Map<String, String> map, String zone) {
        Properties properties = executionOptions.getStreamLoadProp();
        String format = value(properties, LoadConstants.FORMAT_KEY, LoadConstants.CSV);
        if (!format.trim().equalsIgnoreCase(LoadConstants.JSON)) {
            throw new ValidationException(
                    String.format(
                            "The JsonDebeziumSchemaSerializer writes JSON, but the Stream Load"
                                    + " parameter 'format' is '%s'. Set it to 'json', or begin with"
                                    + " DorisExecutionOptions.builderDefaults().",
                            format));
        }
        if (!value(properties, "merge_type", "APPEND").trim().equalsIgnoreCase("APPEND")) {
            throw new ValidationException(
                    "The Stream Load parameter 'merge_type' decides which rows delete, and so do"
                            + " the records of the JsonDebeziumSchemaSerializer. Remove the"
                            + " parameter.");
        }
        SinkPlan plan = SinkPlan.ofBytes(map, zone);
        if (LoadProperties.writesSomeColumns(plan.config().write().properties())
                || !value(properties, STRICT_MODE, "").isEmpty()) {
            // In a partial update a strict load writes no new row.
            return plan;
        }
        map.put(SinkOptions.PROPERTIES_PREFIX + STRICT_MODE, "true");
        return SinkPlan.ofBytes(map, zone);
    }

    private String target() {
        String table = options.getTableIdentifier();
        return table == null || table.isBlank() ? "the tables that records name" : table;
    }

    private static String value(Properties properties, String name, String ifAbsent) {
        for (Map.Entry<Object, Object> entry : properties.entrySet()) {
            if (name.equalsIgnoreCase(String.valueOf(entry.getKey()))) {
                return String.valueOf(entry.getValue());
            }
        }
        return ifAbsent;
    }
}
