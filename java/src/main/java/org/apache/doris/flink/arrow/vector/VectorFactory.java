package org.apache.doris.flink.arrow.vector;

import org.apache.doris.flink.arrow.IpcBatch;
import org.apache.doris.flink.arrow.IpcHeader;
import org.apache.doris.flink.error.ErrorCode;
import org.apache.doris.flink.error.NativeException;
import org.apache.flink.annotation.Internal;
import org.apache.flink.table.data.columnar.vector.ColumnVector;
import org.apache.flink.table.data.columnar.vector.VectorizedColumnBatch;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.RowType;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * Lays Flink's column vectors over a batch whose columns have the canonical Arrow types of a row
 * type. No value is copied. Counts and buffer sizes are checked here, so that what the vectors read
 * later lies inside their buffers.
 */
@Internal
public final class VectorFactory {
    private final IpcBatch batch;
    private final IpcHeader header;
    private int node;
    private int buffer;

    private VectorFactory(IpcBatch batch) {
        this.batch = batch;
        this.header = batch.header();
    }

    /**
     * One vector per field.
     *
     * @throws NativeException with {@link ErrorCode#DATA} when the batch is not of that type
     */
    public static ColumnVector[] create(RowType type, IpcBatch batch) throws NativeException {
        VectorFactory factory = new VectorFactory(batch);
        List<RowType.RowField> fields = type.getFields();
        ColumnVector[] columns = new ColumnVector[fields.size()];
        for (int i = 0; i < columns.length; i++) {
            RowType.RowField field = fields.get(i);
            if (!field.getType().isNullable()
                    && factory.node < factory.header.nodes()
                    && factory.header.nullCount(factory.node) > 0) {
                throw new NativeException(
                        ErrorCode.DATA,
                        "column `" + field.getName() + "` is NOT NULL and holds NULL");
            }
            int top = factory.node;
            columns[i] = factory.vector(field.getType(), batch.rows());
            if (factory.header.nodeLength(top) != batch.rows()) {
                throw corrupt(field.getType(), "a column is longer than the batch");
            }
        }
        factory.finish(type);
        return columns;
    }

    /** The same as one object that row views read from. */
    public static VectorizedColumnBatch createBatch(RowType type, IpcBatch batch)
            throws NativeException {
        VectorizedColumnBatch columns = new VectorizedColumnBatch(create(type, batch));
        columns.setNumRows(batch.rows());
        return columns;
    }

    /** A column of at least so many values, with everything below it. */
    private ArrowVector vector(LogicalType type, int count) throws NativeException {
        ArrowVector vector = build(type, count);
        batch.attach(vector);
        return vector;
    }

    private ArrowVector build(LogicalType type, int count) throws NativeException {
        ByteBuffer validity = validity(count);
        switch (type.getTypeRoot()) {
            case BOOLEAN:
                return new FixedVector.Bool(validity, next((count + 7L) / 8, type));
            case TINYINT:
                return new FixedVector.Int8(validity, fixed(count, Byte.BYTES, type));
            case SMALLINT:
                return new FixedVector.Int16(validity, fixed(count, Short.BYTES, type));
            case INTEGER:
            case DATE:
            case TIME_WITHOUT_TIME_ZONE:
                return new FixedVector.Int32(validity, fixed(count, Integer.BYTES, type));
            case BIGINT:
                return new FixedVector.Int64(validity, fixed(count, Long.BYTES, type));
            case FLOAT:
                return new FixedVector.Float32(validity, fixed(count, Float.BYTES, type));
            case DOUBLE:
                return new FixedVector.Float64(validity, fixed(count, Double.BYTES, type));
            case DECIMAL:
                return new DecimalVector(validity, fixed(count, 16, type));
            case TIMESTAMP_WITHOUT_TIME_ZONE:
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE:
                return new FixedVector.Timestamp(validity, fixed(count, Long.BYTES, type));
            case CHAR:
            case VARCHAR:
            case BINARY:
            case VARBINARY:
                ByteBuffer offsets = offsets(count, type);
                return new BytesVector(validity, count, offsets, next(0, type));
            case ARRAY:
                return array((ArrayType) type, count, validity);
            case MAP:
                return map((MapType) type, count, validity);
            case ROW:
                return row((RowType) type, count, validity);
            default:
                throw new NativeException(
                        ErrorCode.UNSUPPORTED,
                        "no column can be read as " + type.asSummaryString());
        }
    }

    private ArrowVector array(ArrayType type, int count, ByteBuffer validity)
            throws NativeException {
        ByteBuffer offsets = offsets(count, type);
        int elements = lengthOfNext(type);
        return new RangeVector.Lists(
                validity, offsets, vector(type.getElementType(), elements), elements);
    }

    private ArrowVector map(MapType type, int count, ByteBuffer validity) throws NativeException {
        ByteBuffer offsets = offsets(count, type);
        int entries = lengthOfNext(type);
        // The struct of key and value has a node and a validity buffer of its own.
        if (validity(entries) != null) {
            throw corrupt(type, "an entry of the map is NULL");
        }
        ColumnVector keys = vector(type.getKeyType(), entries);
        ColumnVector values = vector(type.getValueType(), entries);
        return new RangeVector.Maps(validity, offsets, keys, values, entries);
    }

    private ArrowVector row(RowType type, int count, ByteBuffer validity) throws NativeException {
        ColumnVector[] fields = new ColumnVector[type.getFieldCount()];
        for (int i = 0; i < fields.length; i++) {
            fields[i] = vector(type.getTypeAt(i), count);
        }
        return new RowVector(validity, fields, count);
    }

    /** Opens the next node: its validity bits, null when no value is NULL. */
    private ByteBuffer validity(int count) throws NativeException {
        if (node >= header.nodes()) {
            throw IpcHeader.corrupt("it has only " + header.nodes() + " columns");
        }
        int length = header.nodeLength(node);
        int nulls = header.nullCount(node);
        node++;
        if (length < count) {
            throw IpcHeader.corrupt("a column has " + length + " values instead of " + count);
        }
        ByteBuffer bits = next(nulls == 0 ? 0 : (length + 7L) / 8, null);
        return nulls == 0 ? null : bits;
    }

    /** Values of the node that comes next. */
    private int lengthOfNext(LogicalType type) throws NativeException {
        if (node >= header.nodes()) {
            throw corrupt(type, "its elements are missing");
        }
        return header.nodeLength(node);
    }

    private ByteBuffer fixed(int count, int width, LogicalType type) throws NativeException {
        return next((long) count * width, type);
    }

    private ByteBuffer offsets(int count, LogicalType type) throws NativeException {
        // An empty column may have no offsets at all.
        return next(count == 0 ? 0 : (count + 1L) * Integer.BYTES, type);
    }

    /** The next buffer, which has so many bytes at least. */
    private ByteBuffer next(long bytes, LogicalType type) throws NativeException {
        if (buffer >= header.buffers()) {
            throw IpcHeader.corrupt("it has only " + header.buffers() + " buffers");
        }
        if (header.bufferLength(buffer) < bytes) {
            throw corrupt(
                    type,
                    "a buffer has " + header.bufferLength(buffer) + " bytes instead of " + bytes);
        }
        return batch.buffer(buffer++);
    }

    /** Nothing may be left: columns beyond the type mean that it is another one. */
    private void finish(RowType type) throws NativeException {
        if (node != header.nodes() || buffer != header.buffers()) {
            throw corrupt(
                    type,
                    String.format(
                            "%d columns with %d buffers instead of %d with %d",
                            header.nodes(), header.buffers(), node, buffer));
        }
    }

    private static NativeException corrupt(LogicalType type, String what) {
        return IpcHeader.corrupt(
                what + (type == null ? "" : ", read as " + type.asSummaryString()));
    }
}
