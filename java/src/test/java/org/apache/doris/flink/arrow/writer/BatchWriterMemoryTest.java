package org.apache.doris.flink.arrow.writer;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.BooleanType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.table.types.logical.VarCharType;
import org.junit.jupiter.api.Test;

import java.lang.management.ManagementFactory;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/** What a writer allocates and what it keeps. */
class BatchWriterMemoryTest {
    private static final RowType TYPE =
            RowType.of(
                    new BigIntType(),
                    new BooleanType(),
                    VarCharType.STRING_TYPE,
                    VarCharType.STRING_TYPE,
                    new DecimalType(18, 2),
                    new TimestampType(6),
                    new ArrayType(new IntType()),
                    RowType.of(new IntType()));

    @Test
    void rowsAllocateNothing() throws Exception {
        BatchWriter writer = new BatchWriter(TYPE, true);
        GenericRowData row =
                GenericRowData.of(
                        1L,
                        true,
                        StringData.fromBytes(new byte[] {'a', 'b', 'c'}),
                        StringData.fromString("a Java string with é"),
                        DecimalData.fromBigDecimal(new BigDecimal("12.34"), 18, 2),
                        TimestampData.fromEpochMillis(1, 2000),
                        new GenericArrayData(new int[] {1, 2, 3}),
                        GenericRowData.of((Object) null));
        ByteBuffer body = ByteBuffer.allocateDirect(8 << 20);
        long perBatch = Long.MAX_VALUE;
        for (int batch = 0; batch < 20; batch++) {
            long before = allocated();
            for (int i = 0; i < 10_000; i++) {
                writer.write(row, (byte) 0);
                assertBelow(writer, 8 << 20);
            }
            body.clear().limit((int) writer.bytes());
            writer.seal(body);
            perBatch = Math.min(perBatch, allocated() - before);
        }
        // A few views and the layout per batch.
        assertThat(perBatch).isLessThan(10_000);
    }

    private static void assertBelow(BatchWriter writer, long bytes) {
        if (writer.isFull(bytes)) {
            throw new AssertionError("a batch of " + writer.bytes());
        }
    }

    @Test
    void arraysAreKeptUnlessOneRowWasHuge() throws Exception {
        BatchWriter writer =
                new BatchWriter(
                        RowType.of(VarCharType.STRING_TYPE, new ArrayType(new IntType())), false);
        fill(writer, GenericRowData.of(text(100), new GenericArrayData(new int[10])), 1000);
        long usual = arrays(writer);
        assertThat(usual).isBetween(100_000L + 40_000, 500_000L);
        fill(writer, GenericRowData.of(text(100), new GenericArrayData(new int[10])), 1000);
        assertThat(arrays(writer)).isEqualTo(usual);
        fill(writer, GenericRowData.of(text(20 << 20), new GenericArrayData(new int[5 << 20])), 1);
        assertThat(arrays(writer)).isLessThan(usual);
    }

    private static StringData text(int length) {
        byte[] bytes = new byte[length];
        java.util.Arrays.fill(bytes, (byte) 'x');
        return StringData.fromBytes(bytes);
    }

    private static void fill(BatchWriter writer, RowData row, int rows) throws Exception {
        for (int i = 0; i < rows; i++) {
            writer.write(row, (byte) 0);
        }
        writer.seal(ByteBuffer.allocate((int) writer.bytes()));
    }

    private static long allocated() {
        return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean())
                .getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    /** Bytes of all arrays of numbers that can be reached. */
    private static long arrays(Object root) throws Exception {
        return arrays(root, Collections.newSetFromMap(new IdentityHashMap<>()));
    }

    private static long arrays(Object object, Set<Object> seen) throws Exception {
        if (object == null || object instanceof String || !seen.add(object)) {
            return 0;
        }
        long bytes = 0;
        Class<?> type = object.getClass();
        if (type.isArray()) {
            int length = Array.getLength(object);
            if (type.getComponentType().isPrimitive()) {
                boolean narrow = type == byte[].class;
                return (long) length * (narrow ? 1 : type == int[].class ? 4 : 8);
            }
            for (int i = 0; i < length; i++) {
                bytes += arrays(Array.get(object, i), seen);
            }
            return bytes;
        }
        for (; type != Object.class; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if (!field.getType().isPrimitive() && !Modifier.isStatic(field.getModifiers())) {
                    field.setAccessible(true);
                    bytes += arrays(field.get(object), seen);
                }
            }
        }
        return bytes;
    }
}
