package org.apache.doris.flink.arrow.writer;

import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.LocalZonedTimestampType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.MultisetType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.TimestampType;

/** Which writer a Flink type has. */
final class WriterFactory {
    /** A type that the version of Flink compiled against lacks. */
    private static final String VARIANT = "VARIANT";

    private final ColumnWriter.Tally tally;

    private WriterFactory(ColumnWriter.Tally tally) {
        this.tally = tally;
    }

    /** One writer per column. */
    static ColumnWriter[] columns(RowType type, ColumnWriter.Tally tally) {
        return new WriterFactory(tally).fields(type, "");
    }

    private ColumnWriter[] fields(RowType type, String parent) {
        ColumnWriter[] writers = new ColumnWriter[type.getFieldCount()];
        for (int i = 0; i < writers.length; i++) {
            RowType.RowField field = type.getFields().get(i);
            String path = parent + "`" + field.getName().replace("`", "``") + "`";
            writers[i] = writer(field.getType(), path, field.getType().isNullable());
        }
        return writers;
    }

    private ColumnWriter writer(LogicalType type, String path, boolean nullable) {
        switch (type.getTypeRoot()) {
            case BOOLEAN:
                return new BooleanWriter(path, nullable);
            case TINYINT:
                return new FixedWriter.Int8(path, nullable);
            case SMALLINT:
                return new FixedWriter.Int16(path, nullable);
            case INTEGER:
            case DATE:
            case TIME_WITHOUT_TIME_ZONE:
            case INTERVAL_YEAR_MONTH:
                return new FixedWriter.Int32(path, nullable);
            case BIGINT:
            case INTERVAL_DAY_TIME:
                return new FixedWriter.Int64(path, nullable);
            case FLOAT:
                return new FixedWriter.Float32(path, nullable);
            case DOUBLE:
                return new FixedWriter.Float64(path, nullable);
            case DECIMAL:
                DecimalType decimal = (DecimalType) type;
                return new DecimalWriter(
                        path, nullable, decimal.getPrecision(), decimal.getScale());
            case TIMESTAMP_WITHOUT_TIME_ZONE:
                return new FixedWriter.Timestamp(
                        path, nullable, ((TimestampType) type).getPrecision());
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE:
                return new FixedWriter.Timestamp(
                        path, nullable, ((LocalZonedTimestampType) type).getPrecision());
            case CHAR:
            case VARCHAR:
                return new BytesWriter.Text(path, nullable, tally);
            case BINARY:
            case VARBINARY:
                return new BytesWriter.Binary(path, nullable, tally);
            case ARRAY:
                LogicalType element = ((ArrayType) type).getElementType();
                return new ArrayWriter(path, nullable, element(element, path), tally);
            case MAP:
                MapType map = (MapType) type;
                return map(path, nullable, map.getKeyType(), value(map.getValueType(), path));
            case MULTISET:
                LogicalType counted = ((MultisetType) type).getElementType();
                return map(
                        path, nullable, counted, new FixedWriter.Int32(path + " (count)", false));
            case ROW:
                return new RowWriter(path, nullable, fields((RowType) type, path + "."));
            default:
                if (type.getTypeRoot().name().equals(VARIANT)) {
                    return new VariantWriter(path, nullable, tally);
                }
                throw new UnsupportedOperationException(
                        String.format(
                                "column %s: values of type %s cannot be written to Doris",
                                path, type.asSummaryString()));
        }
    }

    private ColumnWriter element(LogicalType type, String path) {
        return writer(type, path + "[]", type.isNullable());
    }

    private ColumnWriter value(LogicalType type, String path) {
        return writer(type, path + " (value)", type.isNullable());
    }

    private ColumnWriter map(String path, boolean nullable, LogicalType key, ColumnWriter values) {
        ColumnWriter keys = writer(key, path + " (key)", false);
        return new MapWriter(path, nullable, keys, values, tally);
    }
}
