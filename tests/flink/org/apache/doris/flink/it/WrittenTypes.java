package org.apache.doris.flink.it;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Columns of every type that can be written, with values as Flink and as Doris spell them. */
final class WrittenTypes {

    /** Zone of the sessions, in which instants become the wall clock of DATETIME. */
    static final String SESSION_ZONE = "America/New_York";

    private static final AtomicInteger NUMBERS = new AtomicInteger();

    /** All columns have two values; a third row is NULL throughout. */
    static final List<Column> ALL =
            List.of(
                    column("BOOLEAN", "BOOLEAN", "TRUE", "TRUE", "FALSE", "FALSE"),
                    column("TINYINT", "TINYINT", "7", "7", "'-128'", "-128"),
                    column("SMALLINT", "SMALLINT", "300", "300", "'-32768'", "-32768"),
                    column("INT", "INT", "70000", "70000", "'-2147483648'", "-2147483648"),
                    column(
                            "BIGINT",
                            "BIGINT",
                            "5000000000",
                            "5000000000",
                            "'-9223372036854775808'",
                            "-9223372036854775808"),
                    column(
                            "LARGEINT",
                            "STRING",
                            "'170141183460469231731687303715884105727'",
                            "170141183460469231731687303715884105727",
                            "'-170141183460469231731687303715884105728'",
                            "-170141183460469231731687303715884105728"),
                    column(
                            "LARGEINT",
                            "DECIMAL(38, 0)",
                            "'99999999999999999999999999999999999999'",
                            "99999999999999999999999999999999999999",
                            "'-1'",
                            "-1"),
                    column("LARGEINT", "BIGINT", "5000000000", "5000000000", "0", "0"),
                    // Flink itself cuts constants of more digits.
                    column("FLOAT", "FLOAT", "'0.1'", "0.1", "'-3.25E37'", "-3.25e37"),
                    column(
                            "DOUBLE",
                            "DOUBLE",
                            "'0.1'",
                            "0.1",
                            "'1.7976931348623157E308'",
                            "1.7976931348623157e308"),
                    // JSON-4
                    column(
                            "DECIMAL(38, 18)",
                            "DECIMAL(38, 18)",
                            "'0'",
                            "0",
                            "'12345678901234567890.123456789012345678'",
                            "12345678901234567890.123456789012345678"),
                    column("DECIMAL(5, 2)", "DECIMAL(5, 2)", "'-999.99'", "-999.99", "'1'", "1"),
                    column("CHAR(10)", "CHAR(3)", "'abc'", "'abc'", "'ü x'", "'ü x'"),
                    column("VARCHAR(100)", "VARCHAR(20)", "'中文 😱'", "'中文 😱'", "''", "''"),
                    // CSV-4, JSON-8
                    column(
                            "STRING",
                            "STRING",
                            "U&'tab\\0009 line\\000A \"quote\" \\\\ back'",
                            "'tab\\t line\\n \"quote\" \\\\ back'",
                            "'\\N'",
                            "'\\\\N'"),
                    // JSON-6
                    column(
                            "JSON",
                            "STRING",
                            "'{\"a\":1,\"b\":[\"x\"]}'",
                            "'{\"a\":1,\"b\":[\"x\"]}'",
                            "'[null,true]'",
                            "'[null,true]'"),
                    column("VARIANT", "STRING", "'{\"k\":1}'", "'{\"k\":1}'", "'[1]'", "'[1]'"),
                    column("IPV4", "STRING", "'1.2.3.4'", "'1.2.3.4'", "'0.0.0.0'", "'0.0.0.0'"),
                    column("IPV6", "STRING", "'::1'", "'::1'", "'2001:db8::1'", "'2001:db8::1'"),
                    column(
                            "DATE",
                            "DATE",
                            "DATE '2024-02-29'",
                            "'2024-02-29'",
                            "DATE '0001-01-01'",
                            "'0001-01-01'"),
                    column(
                            "TIME",
                            "TIME(0)",
                            "TIME '12:34:56'",
                            "'12:34:56'",
                            "TIME '00:00:00'",
                            "'00:00:00'"),
                    column(
                            "STRING",
                            "TIME(0)",
                            "TIME '12:34:56'",
                            "'12:34:56'",
                            "TIME '23:59:59'",
                            "'23:59:59'"),
                    // TIME-4: the hour that New York skips.
                    column(
                            "DATETIME",
                            "TIMESTAMP(0)",
                            "TIMESTAMP '2024-03-10 02:30:00'",
                            "'2024-03-10 02:30:00'",
                            "TIMESTAMP '1969-12-31 23:59:59'",
                            "'1969-12-31 23:59:59'"),
                    // TIME-5
                    column(
                            "DATETIME(6)",
                            "TIMESTAMP(6)",
                            "TIMESTAMP '2026-03-27 15:20:29.921550'",
                            "'2026-03-27 15:20:29.921550'",
                            "TIMESTAMP '1969-12-31 23:59:59.000001'",
                            "'1969-12-31 23:59:59.000001'"),
                    column(
                            "DATETIME(6)",
                            "TIMESTAMP(9)",
                            "TIMESTAMP '2024-01-01 00:00:00.123456789'",
                            "'2024-01-01 00:00:00.123456'",
                            "TIMESTAMP '9999-12-31 23:59:59.999999999'",
                            "'9999-12-31 23:59:59.999999'"),
                    column(
                            "DATETIME(3)",
                            "TIMESTAMP_LTZ(3)",
                            "TO_TIMESTAMP_LTZ(1704067200123, 3)",
                            "'2023-12-31 19:00:00.123'",
                            "TO_TIMESTAMP_LTZ(1719792000000, 3)",
                            "'2024-06-30 20:00:00'"),
                    column(
                            "TIMESTAMPTZ(3)",
                            "TIMESTAMP_LTZ(3)",
                            "TO_TIMESTAMP_LTZ(1704067200123, 3)",
                            "'2024-01-01 00:00:00.123+00:00'",
                            "TO_TIMESTAMP_LTZ(-1, 3)",
                            "'1969-12-31 23:59:59.999+00:00'"),
                    column("VARBINARY(20)", "BYTES", "X'00FF10'", "X'00FF10'", "X''", "X''"),
                    column(
                            "ARRAY<INT>",
                            "ARRAY<INT>",
                            "ARRAY[1, CAST(NULL AS INT), -3]",
                            "[1, NULL, -3]",
                            "ARRAY[7]",
                            "[7]"),
                    // JSON-2
                    column(
                            "ARRAY<STRING>",
                            "ARRAY<STRING>",
                            "ARRAY['a,b', 'c]\"d', '']",
                            "['a,b', 'c]\"d', '']",
                            "ARRAY[U&'x\\000Ay', U&'\\0009\"', '\\n']",
                            "['x\\ny', '\\t\"', '\\\\n']"),
                    column(
                            "ARRAY<DATE>",
                            "ARRAY<DATE>",
                            "ARRAY[DATE '2024-01-31']",
                            "['2024-01-31']",
                            "ARRAY[CAST(NULL AS DATE)]",
                            "[NULL]"),
                    column(
                            "ARRAY<ARRAY<DECIMAL(10, 2)>>",
                            "ARRAY<ARRAY<DECIMAL(10, 2)>>",
                            "ARRAY[ARRAY[1.50], ARRAY[-0.01, 2.00]]",
                            "[[1.50], [-0.01, 2.00]]",
                            "ARRAY[ARRAY[0.00]]",
                            "[[0.00]]"),
                    column(
                            "MAP<STRING, INT>",
                            "MAP<STRING, INT>",
                            "MAP['a\"b', 1]",
                            "{'a\"b': 1}",
                            "MAP['', 2]",
                            "{'': 2}"),
                    column(
                            "STRUCT<a:INT,t:DATETIME(6),b:STRUCT<c:STRING,d:ARRAY<INT>>>",
                            "ROW<a INT, t TIMESTAMP(6), b ROW<c STRING, d ARRAY<INT>>>",
                            "ROW(1, TIMESTAMP '2024-07-01 12:00:00.123456', ROW('x', ARRAY[1, 2]))",
                            "named_struct('a', 1, 't', '2024-07-01 12:00:00.123456', 'b',"
                                    + " named_struct('c', 'x', 'd', [1, 2]))",
                            "ROW(2, CAST(NULL AS TIMESTAMP(6)), ROW(U&'\\000A\\005C', ARRAY[3]))",
                            "named_struct('a', 2, 't', NULL, 'b', named_struct('c', '\\n\\\\', 'd',"
                                    + " [3]))"),
                    // JSON-1
                    column(
                            "ARRAY<STRUCT<a:STRING,s:STRING>>",
                            "ARRAY<ROW<a STRING, s STRING>>",
                            "ARRAY[ROW('x', '1')]",
                            "[named_struct('a', 'x', 's', '1')]",
                            "ARRAY[ROW('y', CAST(NULL AS STRING))]",
                            "[named_struct('a', 'y', 's', NULL)]"),
                    column(
                            "ARRAY<MAP<STRING, STRING>>",
                            "ARRAY<MAP<STRING, STRING>>",
                            "ARRAY[MAP['1', 'v']]",
                            "[{'1': 'v'}]",
                            "ARRAY[MAP['2', '']]",
                            "[{'2': ''}]"),
                    column("JSON", "ARRAY<INT>", "ARRAY[1, 2]", "'[1,2]'", "ARRAY[3]", "'[3]'"),
                    column(
                            "JSON",
                            "ROW<a INT, b STRING>",
                            "ROW(1, 'x')",
                            "'{\"a\":1,\"b\":\"x\"}'",
                            "ROW(2, '')",
                            "'{\"a\":2,\"b\":\"\"}'"),
                    column(
                            "VARIANT",
                            "MAP<STRING, INT>",
                            "MAP['k', 1]",
                            "'{\"k\":1}'",
                            "MAP['l', 2]",
                            "'{\"l\":2}'"));

    private WrittenTypes() {}

    /** The columns in the words of Doris, behind a key. */
    static String dorisColumns(List<Column> columns) {
        return "id INT, " + listed(columns, column -> "`" + column.name + "` " + column.doris);
    }

    /** The columns in the words of Flink, behind a key. */
    static String flinkColumns(List<Column> columns) {
        return "id INT, " + listed(columns, column -> "`" + column.name + "` " + column.flink);
    }

    /** The rows as a list behind VALUES, for Doris. */
    static String dorisRows(List<Column> columns) {
        return String.format(
                "(1, %s), (2, %s), (3, %s)",
                listed(columns, column -> column.inDoris[0]),
                listed(columns, column -> column.inDoris[1]),
                listed(columns, column -> "NULL"));
    }

    /** The rows as queries, for Flink. */
    static String flinkRows(List<Column> columns) {
        List<String> rows = new ArrayList<>();
        for (int row = 0; row < 3; row++) {
            int index = row;
            rows.add(
                    String.format(
                            "SELECT %d, %s",
                            row + 1,
                            listed(
                                    columns,
                                    column ->
                                            String.format(
                                                    "CAST(%s AS %s)",
                                                    index < 2 ? column.inFlink[index] : "NULL",
                                                    column.flink))));
        }
        return String.join(" UNION ALL ", rows);
    }

    private static String listed(List<Column> columns, Function<Column, String> text) {
        return columns.stream().map(text).collect(Collectors.joining(", "));
    }

    private static Column column(
            String doris,
            String flink,
            String flink1,
            String doris1,
            String flink2,
            String doris2) {
        return new Column(
                doris, flink, new String[] {flink1, flink2}, new String[] {doris1, doris2});
    }

    /** A column with its types and two values. */
    static final class Column {

        final String name;
        final String doris;
        final String flink;
        private final String[] inFlink;
        private final String[] inDoris;

        private Column(String doris, String flink, String[] inFlink, String[] inDoris) {
            this.name = "c" + NUMBERS.incrementAndGet();
            this.doris = doris;
            this.flink = flink;
            this.inFlink = inFlink;
            this.inDoris = inDoris;
        }

        @Override
        public String toString() {
            return flink + " → " + doris;
        }
    }
}
