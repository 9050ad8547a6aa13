package org.apache.doris.flink.chaos.job;

import org.apache.flink.types.Row;

import java.util.ArrayList;
import java.util.List;

/** A row as a line of text: its kind, then its fields, separated by tabs; {@code \N} is NULL. */
public final class ChangeLine {

    private ChangeLine() {}

    static String of(Row row) {
        StringBuilder line = new StringBuilder(row.getKind().shortString());
        for (int i = 0; i < row.getArity(); i++) {
            Object value = row.getField(i);
            line.append('\t').append(value == null ? "\\N" : escaped(value.toString()));
        }
        return line.toString();
    }

    /** The kind and the fields, null for NULL. */
    public static List<String> parse(String line) {
        List<String> fields = new ArrayList<>();
        for (String field : line.split("\t", -1)) {
            fields.add(
                    field.equals("\\N")
                            ? null
                            : field.replace("\\t", "\t").replace("\\n", "\n").replace("\\b", "\\"));
        }
        return fields;
    }

    private static String escaped(String value) {
        return value.replace("\\", "\\b").replace("\t", "\\t").replace("\n", "\\n");
    }
}
