package org.apache.doris.flink.jni;

import org.apache.doris.flink.error.NativeException;
import org.apache.flink.annotation.Internal;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What a table has: a call that belongs to no scan. */
@Internal
public final class NativeColumns {

    private NativeColumns() {}

    /**
     * Starts to read the columns of a table; loads the library if that was not done yet. The call
     * must be closed; {@link #decode} reads its result.
     *
     * @param config the resolved map as {@code ConfigCodec} writes it; its columns play no part
     */
    public static NativeCall start(byte[] config) throws NativeException {
        NativeLibrary.ensureLoaded();
        return new NativeCall(Native.describeStart(config));
    }

    /** The columns in the table's order, from the result of the call. */
    public static List<Column> decode(Map<String, String> result) {
        int count = Integer.parseInt(result.get("columns"));
        List<Column> columns = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            String prefix = "column." + i;
            columns.add(
                    new Column(
                            result.get(prefix + ".name"),
                            result.get(prefix + ".doris"),
                            result.get(prefix + ".type")));
        }
        return columns;
    }

    /** A column of a table. */
    public static final class Column {
        private final String name;
        private final String dorisType;
        private final String flinkType;

        Column(String name, String dorisType, String flinkType) {
            this.name = name;
            this.dorisType = dorisType;
            this.flinkType = flinkType;
        }

        /** The name as Doris has it. */
        public String name() {
            return name;
        }

        /** The type as Doris calls it. */
        public String dorisType() {
            return dorisType;
        }

        /** Text of the Flink type that keeps its values; empty for what cannot be read. */
        public String flinkType() {
            return flinkType;
        }
    }
}
