package org.apache.doris.flink.arrow.writer;

import org.apache.doris.flink.error.NativeException;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.RowData;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * VARIANT as Utf8, the value's JSON text. The type exists from Flink 2.1 on, which is later than
 * the version that this is compiled against: its methods are found once by reflection.
 */
final class VariantWriter extends BytesWriter {

    VariantWriter(String path, boolean nullable, Tally tally) {
        super(path, nullable, tally);
        if (Access.MISSING != null) {
            throw new UnsupportedOperationException(
                    "column "
                            + path
                            + ": this version of Flink cannot give the value of a VARIANT as text ("
                            + Access.MISSING
                            + ")");
        }
    }

    @Override
    void put(RowData row, int field) throws NativeException {
        try {
            encode((String) Access.OF_ROW.invokeExact(row, field));
        } catch (Throwable e) {
            throw rethrown(e);
        }
    }

    @Override
    void put(ArrayData array, int index) throws NativeException {
        try {
            encode((String) Access.OF_ARRAY.invokeExact(array, index));
        } catch (Throwable e) {
            throw rethrown(e);
        }
    }

    /** What Flink's methods throw is unchecked; what comes out of here names the column. */
    private NativeException rethrown(Throwable e) {
        if (e instanceof NativeException) {
            return (NativeException) e;
        }
        if (e instanceof Error) {
            throw (Error) e;
        }
        return failure("a VARIANT has no JSON text", e);
    }

    /** {@code (row, field) → row.getVariant(field).toJson()}, the same for arrays. */
    private static final class Access {
        static final MethodHandle OF_ROW;
        static final MethodHandle OF_ARRAY;
        static final Throwable MISSING;

        static {
            MethodHandle ofRow = null;
            MethodHandle ofArray = null;
            Throwable missing = null;
            try {
                MethodHandles.Lookup lookup = MethodHandles.publicLookup();
                Class<?> variant =
                        Class.forName(
                                "org.apache.flink.types.variant.Variant",
                                false,
                                RowData.class.getClassLoader());
                MethodType get = MethodType.methodType(variant, int.class);
                MethodHandle json =
                        lookup.findVirtual(variant, "toJson", MethodType.methodType(String.class));
                ofRow =
                        MethodHandles.filterReturnValue(
                                lookup.findVirtual(RowData.class, "getVariant", get), json);
                ofArray =
                        MethodHandles.filterReturnValue(
                                lookup.findVirtual(ArrayData.class, "getVariant", get), json);
            } catch (ReflectiveOperationException | LinkageError e) {
                missing = e;
            }
            OF_ROW = ofRow;
            OF_ARRAY = ofArray;
            MISSING = missing;
        }
    }
}
