package org.apache.doris.flink.arrow.writer;

import org.apache.doris.flink.error.NativeException;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.binary.BinarySegmentUtils;
import org.apache.flink.table.data.binary.BinaryStringData;

/**
 * CHAR and VARCHAR as Utf8. The bytes are copied out of the memory that the string lies in; a
 * string that is still a Java one is encoded in place.
 */
final class TextWriter extends BytesWriter {

    TextWriter(String path, boolean nullable, Tally tally) {
        super(path, nullable, tally);
    }

    @Override
    void put(RowData row, int field) throws NativeException {
        append(row.getString(field));
    }

    @Override
    void put(ArrayData array, int index) throws NativeException {
        append(array.getString(index));
    }

    private void append(StringData text) throws NativeException {
        if (!(text instanceof BinaryStringData)) {
            // Flink itself has no other kind.
            encode(text.toString());
            return;
        }
        BinaryStringData binary = (BinaryStringData) text;
        if (binary.getBinarySection() == null) {
            encode(binary.getJavaObject());
            return;
        }
        int length = binary.getSizeInBytes();
        int start = reserve(length);
        MemorySegment[] segments = binary.getSegments();
        if (segments.length == 1) {
            segments[0].get(binary.getOffset(), values, start, length);
        } else {
            BinarySegmentUtils.copyToBytes(segments, binary.getOffset(), values, start, length);
        }
        finish(length);
    }
}
