package org.apache.doris.flink.config.plan;

import org.apache.doris.flink.config.ChangelogConfig;
import org.apache.doris.flink.config.ConnectionConfig;
import org.apache.doris.flink.config.MetadataColumn;
import org.apache.doris.flink.config.ReadConfig;
import org.apache.doris.flink.config.ScanColumn;
import org.apache.doris.flink.config.ScanConfig;
import org.apache.doris.flink.config.option.CommonOptions;
import org.apache.doris.flink.config.option.OptionKeys;
import org.apache.doris.flink.config.option.OptionValues;
import org.apache.doris.flink.config.rule.ChangelogRules;
import org.apache.doris.flink.config.rule.OptionRules;
import org.apache.doris.flink.types.DorisTypes;
import org.apache.flink.annotation.Internal;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.types.logical.RowType;

import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * From the options of a DataStream source to its configuration, by the rules that hold for tables.
 * Contacts no server and loads no native code.
 */
@Internal
public final class StreamSourcePlan {

    private final ScanConfig scan;
    private final List<String> warnings;

    private StreamSourcePlan(ScanConfig scan, List<String> warnings) {
        this.scan = scan;
        this.warnings = List.copyOf(warnings);
    }

    /**
     * Plans a source.
     *
     * @param options keys and values as in a {@code WITH} clause
     * @param readFields names of the columns to read by comma; null for all
     * @param rowLimit most rows to read; null or below 0 for all
     * @param rows type of the rows, where it is known: names of the columns to read, or the types
     *     of those that the options name; null to read them as the table has them
     * @throws ValidationException for whatever is wrong with the options or the columns
     */
    public static StreamSourcePlan of(
            Map<String, String> options, String readFields, Long rowLimit, RowType rows) {
        OptionValues values = OptionKeys.resolve(options, false);
        requirePresent(values);
        OptionRules.checkValues(values);
        ConnectionConfig connection = ConnectionConfig.from(values);
        ReadConfig readConfig = ReadConfig.from(values);
        ChangelogConfig changelog = ChangelogConfig.from(values);
        ChangelogRules.check(values, changelog, connection, false, false);
        OptionRules.warnOfIgnored(values);
        List<String> names = names(readFields);
        long limit = limit(values, rowLimit, changelog);
        String zone = ZoneId.systemDefault().getId();
        ScanConfig scan =
                rows == null
                        ? ScanConfig.undeclared(
                                connection, readConfig, names, limit, zone, changelog, List.of())
                        : declared(connection, readConfig, rows, names, limit, zone, changelog);
        return new StreamSourcePlan(scan, values.warnings());
    }

    /** The configuration. */
    public ScanConfig scan() {
        return scan;
    }

    /** What the user should know, to be logged once. */
    public List<String> warnings() {
        return warnings;
    }

    private static ScanConfig declared(
            ConnectionConfig connection,
            ReadConfig read,
            RowType rows,
            List<String> names,
            long limit,
            String zone,
            ChangelogConfig changelog) {
        if (!names.isEmpty() && names.size() != rows.getFieldCount()) {
            throw new ValidationException(
                    String.format(
                            "The read options name %d columns (%s), but the row type of the"
                                    + " deserialization schema has %d (%s). Give both the same"
                                    + " number, or do not set the read fields.",
                            names.size(),
                            String.join(", ", names),
                            rows.getFieldCount(),
                            String.join(", ", rows.getFieldNames())));
        }
        DorisTypes.checkReadable(connection.table().toString(), rows);
        RowType plain = (RowType) DorisTypes.plain(rows.copy(true));
        List<RowType.RowField> fields = new ArrayList<>();
        for (int i = 0; i < plain.getFieldCount(); i++) {
            RowType.RowField field = plain.getFields().get(i);
            String name = names.isEmpty() ? field.getName() : names.get(i);
            fields.add(new RowType.RowField(name, field.getType()));
        }
        RowType named = new RowType(fields);
        List<MetadataColumn> none = List.of();
        List<ScanColumn> columns = ScanColumn.allOf(named);
        return new ScanConfig(connection, read, named, columns, "", limit, zone, changelog, none);
    }

    /** Names by comma, in backticks or not; blank and {@code *} mean all columns. */
    static List<String> names(String readFields) {
        List<String> names = new ArrayList<>();
        if (readFields == null || readFields.isBlank() || readFields.trim().equals("*")) {
            return names;
        }
        StringBuilder name = new StringBuilder();
        boolean quoted = false;
        boolean wasQuoted = false;
        for (int i = 0; i <= readFields.length(); i++) {
            char c = i < readFields.length() ? readFields.charAt(i) : ',';
            if (c == '`'
                    && quoted
                    && i + 1 < readFields.length()
                    && readFields.charAt(i + 1) == c) {
                name.append(c);
                i++;
            } else if (c == '`') {
                quoted = !quoted;
                wasQuoted = true;
            } else if (c == ',' && (!quoted || i == readFields.length())) {
                String found = wasQuoted ? name.toString() : name.toString().trim();
                if (quoted || found.isEmpty()) {
                    throw new ValidationException(
                            String.format(
                                    "The read fields '%s' cannot be understood: allowed are names"
                                            + " of columns, separated by commas, in backticks where"
                                            + " they hold commas or blanks.",
                                    readFields));
                }
                names.add(found);
                name.setLength(0);
                wasQuoted = false;
            } else if (quoted || !Character.isWhitespace(c)) {
                name.append(c);
            }
        }
        return names;
    }

    private static long limit(OptionValues values, Long rowLimit, ChangelogConfig changelog) {
        if (rowLimit == null || rowLimit < 0) {
            return ScanConfig.NO_LIMIT;
        }
        if (changelog.scanMode().hasIncrementalPhase()) {
            values.warn("The row limit has no effect where changes are followed.");
            return ScanConfig.NO_LIMIT;
        }
        return rowLimit;
    }

    private static void requirePresent(OptionValues values) {
        if (!values.has(CommonOptions.FENODES) || !values.has(CommonOptions.TABLE_IDENTIFIER)) {
            throw new ValidationException(
                    "The DorisOptions of a source need front ends (setFenodes) and a table"
                            + " (setTableIdentifier).");
        }
    }
}
