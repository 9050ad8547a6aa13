package org.apache.doris.flink.source.schema;

import org.apache.doris.flink.config.ConfigCodec;
import org.apache.doris.flink.config.ScanConfig;
import org.apache.doris.flink.jni.NativeCall;
import org.apache.doris.flink.jni.NativeColumns;
import org.apache.doris.flink.jni.NativeLibrary;
import org.apache.doris.flink.jni.NativeLog;
import org.apache.flink.annotation.Internal;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.table.types.logical.utils.LogicalTypeParser;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Learns the columns of a scan whose user declared none: each reader and the enumerator read them
 * from the table once when they start. A column that the table gets later is read after the next
 * start.
 */
@Internal
public final class LearnedColumns {

    private LearnedColumns() {}

    /**
     * The scan with its columns; itself where they were declared. Waits for the server, in short
     * steps.
     *
     * @param cancelled whether the answer is no longer wanted
     * @throws InterruptedException if it is not, or the thread was interrupted
     * @throws IOException why the table or one of its columns cannot be read
     */
    public static ScanConfig declare(ScanConfig scan, BooleanSupplier cancelled)
            throws IOException, InterruptedException {
        Optional<List<String>> names = scan.undeclared();
        if (names.isEmpty()) {
            return scan;
        }
        NativeLibrary.load(scan.connection().libraryPath());
        try (NativeCall call = NativeColumns.start(ConfigCodec.encode(scan))) {
            return scan.declare(
                    choose(
                            NativeColumns.decode(call.answer(cancelled)),
                            names.get(),
                            scan.connection().table().toString()));
        } finally {
            NativeLog.drain();
        }
    }

    /** A name that the table lacks is kept: the check of the columns suggests a similar one. */
    private static RowType choose(
            List<NativeColumns.Column> table, List<String> names, String tableName)
            throws IOException {
        List<RowType.RowField> fields = new ArrayList<>();
        if (names.isEmpty()) {
            for (NativeColumns.Column column : table) {
                fields.add(new RowType.RowField(column.name(), type(column, tableName)));
            }
        }
        for (String name : names) {
            Optional<NativeColumns.Column> column = find(table, name);
            fields.add(
                    new RowType.RowField(
                            name,
                            column.isPresent()
                                    ? type(column.get(), tableName)
                                    : new VarCharType(VarCharType.MAX_LENGTH)));
        }
        return new RowType(fields);
    }

    private static Optional<NativeColumns.Column> find(
            List<NativeColumns.Column> table, String name) {
        return table.stream()
                .filter(column -> column.name().equals(name))
                .findFirst()
                .or(
                        () ->
                                table.stream()
                                        .filter(column -> column.name().equalsIgnoreCase(name))
                                        .findFirst());
    }

    private static LogicalType type(NativeColumns.Column column, String tableName)
            throws IOException {
        if (column.flinkType().isEmpty()) {
            throw new IOException(
                    String.format(
                            "Column '%s' of table %s is %s in Doris, which cannot be read: name the"
                                    + " columns to read (setReadFields) and leave it out.",
                            column.name(), tableName, column.dorisType()));
        }
        return LogicalTypeParser.parse(column.flinkType(), LearnedColumns.class.getClassLoader());
    }
}
