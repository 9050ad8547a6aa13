package org.apache.doris.flink.arrow;

import org.apache.doris.flink.error.ErrorCode;
import org.apache.doris.flink.error.NativeException;
import org.apache.flink.annotation.Internal;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The header of a record batch: where in the body which buffer lies. Read by hand from the
 * flatbuffer {@code Message} of the Arrow format (Message.fbs), which is little-endian.
 *
 * <p>A header can be damaged: every position is checked against the header's end, every count
 * against the bytes that it would need, every buffer against the body.
 */
@Internal
public final class IpcHeader {
    private static final int MESSAGE_HEADER_TYPE = 1;
    private static final int MESSAGE_HEADER = 2;
    private static final int MESSAGE_BODY_LENGTH = 3;
    private static final int BATCH_LENGTH = 0;
    private static final int BATCH_NODES = 1;
    private static final int BATCH_BUFFERS = 2;
    private static final int BATCH_COMPRESSION = 3;
    private static final int BATCH_VARIADIC_COUNTS = 4;
    private static final int RECORD_BATCH = 3;
    private static final int PAIR_BYTES = 16;

    private final int rows;
    private final int[] nodeLengths;
    private final int[] nullCounts;
    private final int[] bufferOffsets;
    private final int[] bufferLengths;

    private IpcHeader(
            int rows,
            int[] nodeLengths,
            int[] nullCounts,
            int[] bufferOffsets,
            int[] bufferLengths) {
        this.rows = rows;
        this.nodeLengths = nodeLengths;
        this.nullCounts = nullCounts;
        this.bufferOffsets = bufferOffsets;
        this.bufferLengths = bufferLengths;
    }

    /**
     * Reads a header.
     *
     * @param header the bare flatbuffer, without the prefix 0xFFFFFFFF; its position and limit
     *     bound it
     * @param bodyLength the bytes of the body that the buffers must lie in
     * @throws NativeException with {@link ErrorCode#DATA} when it is damaged or not the header of
     *     an uncompressed record batch
     */
    public static IpcHeader parse(ByteBuffer header, int bodyLength) throws NativeException {
        try {
            return new Walk(header).message(bodyLength);
        } catch (IndexOutOfBoundsException | ArithmeticException e) {
            throw new NativeException(
                    ErrorCode.DATA, "corrupt batch: its header points outside itself", e);
        }
    }

    /** Rows of the batch. */
    public int rows() {
        return rows;
    }

    /** How many nodes there are: one per column, nested ones included. */
    public int nodes() {
        return nodeLengths.length;
    }

    /** Values of a node. */
    public int nodeLength(int node) {
        return nodeLengths[node];
    }

    /** NULLs of a node. */
    public int nullCount(int node) {
        return nullCounts[node];
    }

    /** How many buffers there are. */
    public int buffers() {
        return bufferOffsets.length;
    }

    /** Where a buffer begins in the body. */
    public int bufferOffset(int buffer) {
        return bufferOffsets[buffer];
    }

    /** Bytes of a buffer; 0 for a validity buffer that is not there. */
    public int bufferLength(int buffer) {
        return bufferLengths[buffer];
    }

    /** A walk through one flatbuffer; every access is checked by {@link ByteBuffer}. */
    private static final class Walk {
        private final ByteBuffer in;

        Walk(ByteBuffer header) {
            this.in = header.slice().order(ByteOrder.LITTLE_ENDIAN);
        }

        IpcHeader message(int bodyLength) throws NativeException {
            int message = reference(0);
            int typeField = field(message, MESSAGE_HEADER_TYPE);
            int type = typeField == 0 ? 0 : in.get(typeField);
            if (type != RECORD_BATCH) {
                throw corrupt("its header is of type " + type + ", no record batch");
            }
            int lengthField = field(message, MESSAGE_BODY_LENGTH);
            long declared = lengthField == 0 ? 0 : in.getLong(lengthField);
            if (declared < 0 || declared > bodyLength) {
                throw corrupt("its body has " + bodyLength + " bytes and should have " + declared);
            }
            int headerField = field(message, MESSAGE_HEADER);
            if (headerField == 0) {
                throw corrupt("its header is empty");
            }
            return recordBatch(reference(headerField), bodyLength);
        }

        private IpcHeader recordBatch(int batch, int bodyLength) throws NativeException {
            if (field(batch, BATCH_COMPRESSION) != 0) {
                throw corrupt("its body is compressed");
            }
            int variadic = field(batch, BATCH_VARIADIC_COUNTS);
            if (variadic != 0 && in.getInt(reference(variadic)) != 0) {
                throw corrupt("it has columns of a view type");
            }
            int lengthField = field(batch, BATCH_LENGTH);
            int rows = size(lengthField == 0 ? 0 : in.getLong(lengthField), "rows");

            int nodes = vector(field(batch, BATCH_NODES));
            int nodeCount = count(nodes);
            int[] nodeLengths = new int[nodeCount];
            int[] nullCounts = new int[nodeCount];
            for (int i = 0; i < nodeCount; i++) {
                int at = nodes + 4 + i * PAIR_BYTES;
                nodeLengths[i] = size(in.getLong(at), "values of a column");
                nullCounts[i] = size(in.getLong(at + 8), "NULLs of a column");
                if (nullCounts[i] > nodeLengths[i]) {
                    throw corrupt(nullCounts[i] + " of " + nodeLengths[i] + " values are NULL");
                }
            }

            int buffers = vector(field(batch, BATCH_BUFFERS));
            int bufferCount = count(buffers);
            int[] offsets = new int[bufferCount];
            int[] lengths = new int[bufferCount];
            for (int i = 0; i < bufferCount; i++) {
                int at = buffers + 4 + i * PAIR_BYTES;
                offsets[i] = size(in.getLong(at), "offset of a buffer");
                lengths[i] = size(in.getLong(at + 8), "bytes of a buffer");
                if ((long) offsets[i] + lengths[i] > bodyLength) {
                    throw corrupt(
                            String.format(
                                    "buffer %d at %d with %d bytes lies outside the body of %d",
                                    i, offsets[i], lengths[i], bodyLength));
                }
            }
            return new IpcHeader(rows, nodeLengths, nullCounts, offsets, lengths);
        }

        /** Where the relative reference at a position leads; references only lead forward. */
        private int reference(int at) throws NativeException {
            int distance = in.getInt(at);
            if (distance <= 0) {
                throw corrupt("its header has a reference that leads back");
            }
            return Math.addExact(at, distance);
        }

        /** Position of a field of a table, 0 when it is not there. */
        private int field(int table, int index) throws NativeException {
            int vtable = Math.subtractExact(table, in.getInt(table));
            int vtableBytes = Short.toUnsignedInt(in.getShort(vtable));
            int entry = 4 + 2 * index;
            if (entry + 2 > vtableBytes) {
                return 0;
            }
            int offset = Short.toUnsignedInt(in.getShort(vtable + entry));
            int tableBytes = Short.toUnsignedInt(in.getShort(vtable + 2));
            if (offset >= tableBytes && offset != 0) {
                throw corrupt("its header has a field outside its table");
            }
            return offset == 0 ? 0 : Math.addExact(table, offset);
        }

        /** Position of a vector's count, -1 when the field is not there. */
        private int vector(int field) throws NativeException {
            return field == 0 ? -1 : reference(field);
        }

        /** The checked count of a vector of pairs. */
        private int count(int vector) throws NativeException {
            if (vector < 0) {
                return 0;
            }
            int count = in.getInt(vector);
            if (count < 0 || count > (in.limit() - vector - 4) / PAIR_BYTES) {
                throw corrupt("its header claims " + Integer.toUnsignedString(count) + " entries");
            }
            return count;
        }

        private static int size(long value, String what) throws NativeException {
            if (value < 0 || value > Integer.MAX_VALUE) {
                throw corrupt(what + ": " + value);
            }
            return (int) value;
        }
    }

    /** The error for a batch that is not what it should be. */
    public static NativeException corrupt(String what) {
        return new NativeException(ErrorCode.DATA, "corrupt batch: " + what);
    }
}
