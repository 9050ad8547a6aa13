package org.apache.doris.flink.sink.writer.serializer;

import org.apache.doris.flink.cfg.DorisExecutionOptions;
import org.apache.doris.flink.cfg.DorisOptions;
import org.apache.doris.flink.config.Delimiter;
import org.apache.doris.flink.sink.schema.SchemaChangeMode;
import org.apache.doris.flink.sink.writer.serializer.debezium.DebeziumChange;
import org.apache.doris.flink.sink.writer.serializer.debezium.DebeziumReader;
import org.apache.doris.flink.sink.writer.serializer.debezium.Routing;
import org.apache.doris.flink.tools.cdc.DorisTableConfig;
import org.apache.doris.flink.tools.cdc.converter.TableNameConverter;
import org.apache.flink.annotation.Internal;
import org.apache.flink.annotation.PublicEvolving;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * Debezium records as JSON text, with or without their schema, as rows that are written or deleted.
 * The load's format must be JSON. A sink that is built with this serializer reads the records
 * itself, because it knows the table, and does not call {@link #serialize}; that method is for
 * serializers of users that call this one.
 *
 * <p>Changes of the source's schema are not carried over yet: a record of one fails, or is skipped
 * if the serializer is lenient. See docs/cdc.md.
 */
@PublicEvolving
public class JsonDebeziumSchemaSerializer implements DorisRecordSerializer<String> {

    private static final long serialVersionUID = 1L;

    private final Routing routing;
    private final boolean lenient;
    private final boolean enableDelete;
    private final boolean ignoreUpdateBefore;
    private final String lineDelimiter;

    private transient DebeziumReader reader;

    /** A serializer for the table that the options name. */
    public JsonDebeziumSchemaSerializer(
            DorisOptions dorisOptions,
            Pattern pattern,
            String sourceTableName,
            boolean newSchemaChange) {
        this(dorisOptions, pattern, sourceTableName, newSchemaChange, null);
    }

    /** The same with options of writing. */
    public JsonDebeziumSchemaSerializer(
            DorisOptions dorisOptions,
            Pattern pattern,
            String sourceTableName,
            boolean newSchemaChange,
            DorisExecutionOptions executionOptions) {
        this(
                dorisOptions,
                pattern,
                sourceTableName,
                newSchemaChange,
                executionOptions,
                null,
                null,
                null,
                null,
                null,
                null);
    }

    /** The same for many tables. */
    public JsonDebeziumSchemaSerializer(
            DorisOptions dorisOptions,
            Pattern pattern,
            String sourceTableName,
            boolean newSchemaChange,
            DorisExecutionOptions executionOptions,
            Map<String, String> tableMapping,
            DorisTableConfig dorisTableConfig,
            String targetDatabase,
            String targetTablePrefix,
            String targetTableSuffix,
            SchemaChangeMode schemaChangeMode) {
        this(
                dorisOptions,
                pattern,
                sourceTableName,
                newSchemaChange,
                executionOptions,
                tableMapping,
                dorisTableConfig,
                targetDatabase,
                targetTablePrefix,
                targetTableSuffix,
                schemaChangeMode,
                null);
    }

    /** The same with names of tables by a converter. */
    public JsonDebeziumSchemaSerializer(
            DorisOptions dorisOptions,
            Pattern pattern,
            String sourceTableName,
            boolean newSchemaChange,
            DorisExecutionOptions executionOptions,
            Map<String, String> tableMapping,
            DorisTableConfig dorisTableConfig,
            String targetDatabase,
            String targetTablePrefix,
            String targetTableSuffix,
            SchemaChangeMode schemaChangeMode,
            TableNameConverter tableNameConverter) {
        this(
                builder()
                        .setDorisOptions(dorisOptions)
                        .setExecutionOptions(executionOptions)
                        .setTableMapping(tableMapping)
                        .setTargetDatabase(targetDatabase)
                        .setTargetTablePrefix(targetTablePrefix)
                        .setTargetTableSuffix(targetTableSuffix)
                        .setTableNameConverter(tableNameConverter));
    }

    private JsonDebeziumSchemaSerializer(Builder builder) {
        DorisOptions options = builder.dorisOptions;
        DorisExecutionOptions execution = builder.executionOptions;
        this.routing =
                new Routing(
                        options == null ? null : options.getTableIdentifier(),
                        builder.tableMapping,
                        builder.targetDatabase,
                        builder.names());
        this.lenient = builder.lenient;
        this.enableDelete = execution == null || execution.getDeletable();
        this.ignoreUpdateBefore = execution == null || execution.getIgnoreUpdateBefore();
        this.lineDelimiter =
                execution == null
                        ? "\n"
                        : Delimiter.resolve(
                                execution.getStreamLoadProp().getProperty("line_delimiter", "\n"));
    }

    /** A builder without any value. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * The lines of a record: of an update whose former row is to be deleted, two with the line
     * delimiter between them.
     *
     * @throws IOException if the record cannot be written; the message says which and why
     */
    @Override
    public DorisRecord serialize(String record) throws IOException {
        if (reader == null) {
            reader = reader(false, () -> {});
        }
        DebeziumChange change = reader.read(record);
        if (change == null) {
            return DorisRecord.empty;
        }
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        if (change.hasBefore() && !(change.hasAfter() && ignoreUpdateBefore)) {
            lines.writeBytes(change.former(enableDelete, UnaryOperator.identity()));
        }
        if (change.hasAfter()) {
            if (lines.size() > 0) {
                lines.writeBytes(lineDelimiter.getBytes(StandardCharsets.UTF_8));
            }
            lines.writeBytes(change.row(enableDelete, UnaryOperator.identity()));
        }
        return change.table()
                .map(table -> DorisRecord.of(table.database(), table.table(), lines.toByteArray()))
                .orElseGet(() -> DorisRecord.of(lines.toByteArray()));
    }

    /**
     * For the sink.
     *
     * @param omitUnavailable whether columns that the source did not log are left out of rows
     * @param onSkip called for each record that is skipped
     */
    @Internal
    public DebeziumReader reader(boolean omitUnavailable, Runnable onSkip) {
        return new DebeziumReader(routing, lenient, omitUnavailable, onSkip);
    }

    /** Builds serializers. Options objects are read when one is built, never changed. */
    public static class Builder {

        private DorisOptions dorisOptions;
        private DorisExecutionOptions executionOptions;
        private Map<String, String> tableMapping;
        private String targetDatabase;
        private String targetTablePrefix = "";
        private String targetTableSuffix = "";
        private TableNameConverter tableNameConverter;
        private boolean lenient;

        /** A builder without any value. */
        public Builder() {}

        /** Its {@code table.identifier}, if there is one, is the table of all rows. */
        public Builder setDorisOptions(DorisOptions dorisOptions) {
            this.dorisOptions = dorisOptions;
            return this;
        }

        /** Without effect: changes of the schema are not carried over yet. */
        public Builder setNewSchemaChange(boolean newSchemaChange) {
            return this;
        }

        /**
         * Without effect: changes of the schema are not carried over yet.
         *
         * @throws IllegalArgumentException for a word that is no mode
         */
        public Builder setSchemaChangeMode(String schemaChangeMode) {
            if (schemaChangeMode != null && !schemaChangeMode.isEmpty()) {
                checkMode(schemaChangeMode);
            }
            return this;
        }

        /** Without effect: it is for changes of the schema. */
        public Builder setPattern(Pattern addDropDDLPattern) {
            return this;
        }

        /** Without effect: it is for changes of the schema. */
        public Builder setSourceTableName(String sourceTableName) {
            return this;
        }

        /**
         * Deletes, the rows before updates and the line delimiter, for {@link #serialize}. The sink
         * uses its own options.
         */
        public Builder setExecutionOptions(DorisExecutionOptions executionOptions) {
            this.executionOptions = executionOptions;
            return this;
        }

        /**
         * Tables by those of the source: {@code database.table} by {@code database[.schema].table}.
         */
        public Builder setTableMapping(Map<String, String> tableMapping) {
            this.tableMapping = tableMapping;
            return this;
        }

        /**
         * Without effect: tables are not created yet.
         *
         * @deprecated use {@link #setDorisTableConf}
         */
        @Deprecated
        public Builder setTableProperties(Map<String, String> tableProperties) {
            return this;
        }

        /** Without effect: tables are not created yet. */
        public Builder setDorisTableConf(DorisTableConfig dorisTableConfig) {
            return this;
        }

        /** Database of the tables that the mapping does not name; these must be there. */
        public Builder setTargetDatabase(String targetDatabase) {
            this.targetDatabase = targetDatabase;
            return this;
        }

        /** Begins the names of tables in the target database. */
        public Builder setTargetTablePrefix(String tablePrefix) {
            this.targetTablePrefix = orEmpty(tablePrefix);
            return this;
        }

        /** Ends the names of tables in the target database. */
        public Builder setTargetTableSuffix(String tableSuffix) {
            this.targetTableSuffix = orEmpty(tableSuffix);
            return this;
        }

        /** Names the tables in the target database, in place of prefix and suffix. */
        public Builder setTableNameConverter(TableNameConverter tableNameConverter) {
            this.tableNameConverter = tableNameConverter;
            return this;
        }

        /**
         * Whether records that change no row of a known table are skipped, with a warning and a
         * count: changes of the schema, truncates, messages, unknown operations, tables that
         * neither mapping nor target database names. By default they fail the job.
         */
        public Builder setLenient(boolean lenient) {
            this.lenient = lenient;
            return this;
        }

        /**
         * The serializer.
         *
         * @throws IllegalArgumentException for names of tables that are none, and for a prefix,
         *     suffix or converter without a target database
         */
        public JsonDebeziumSchemaSerializer build() {
            return new JsonDebeziumSchemaSerializer(this);
        }

        private TableNameConverter names() {
            boolean named =
                    tableNameConverter != null
                            || !targetTablePrefix.isEmpty()
                            || !targetTableSuffix.isEmpty();
            boolean one =
                    dorisOptions != null && !orEmpty(dorisOptions.getTableIdentifier()).isEmpty();
            if (named && orEmpty(targetDatabase).isEmpty() && !one) {
                throw new IllegalArgumentException(
                        "The JsonDebeziumSchemaSerializer has a prefix, a suffix or a converter for"
                                + " the names of tables, but no database that these are in. Call"
                                + " setTargetDatabase.");
            }
            return tableNameConverter != null
                    ? tableNameConverter
                    : new TableNameConverter(targetTablePrefix, targetTableSuffix);
        }

        private static void checkMode(String mode) {
            try {
                SchemaChangeMode.valueOf(mode.toUpperCase(Locale.ROOT));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(
                        String.format(
                                "'%s' is no schema change mode; allowed are %s, in any case.",
                                mode, Arrays.toString(SchemaChangeMode.values())),
                        e);
            }
        }

        private static String orEmpty(String text) {
            return text == null || text.isBlank() ? "" : text;
        }
    }
}
