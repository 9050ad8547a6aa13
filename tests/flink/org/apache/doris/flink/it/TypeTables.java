package org.apache.doris.flink.it;

import java.util.List;

/**
 * Tables with a column of every Doris type and rows at the edges of each, and their declarations in
 * Flink.
 */
public final class TypeTables {

    private static final String PROPERTIES =
            " DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 2 PROPERTIES (\"replication_num\" ="
                    + " \"1\")";

    /**
     * How the tables are declared: with the nearest type of Flink, as text, and with other types.
     */
    public static final List<Declared> ALL =
            List.of(
                    new Declared(
                            "plain",
                            "id INT, b BOOLEAN, t TINYINT, s SMALLINT, i INT, l BIGINT, li STRING,"
                                + " f FLOAT, d DOUBLE, dc DECIMAL(10, 2), dec38 DECIMAL(38, 10),"
                                + " decv2 DECIMAL(27, 9), dec76 STRING, c CHAR(5), v VARCHAR(100),"
                                + " st STRING, j STRING, va STRING, ip4 STRING, ip6 STRING, vb"
                                + " BYTES"),
                    new Declared(
                            "times",
                            "id INT, d DATE, d1 DATE, dt0 TIMESTAMP(0), dtv1 TIMESTAMP(0), dt3"
                                    + " TIMESTAMP(3), dt6 TIMESTAMP(6), tz0 TIMESTAMP_LTZ(0), tz3"
                                    + " TIMESTAMP_LTZ(3), tz6 TIMESTAMP_LTZ(6)"),
                    new Declared(
                            "times",
                            "id INT, dt0 TIMESTAMP_LTZ(3), dt6 TIMESTAMP_LTZ(6), tz0 TIMESTAMP(0),"
                                    + " tz6 TIMESTAMP(6), dt3 TIMESTAMP(9)"),
                    new Declared(
                            "times",
                            "id INT, d STRING, d1 STRING, dt0 STRING, dtv1 STRING, dt3 STRING, dt6"
                                    + " STRING, tz0 STRING, tz3 STRING, tz6 STRING, tm STRING"),
                    new Declared("daytimes", "id INT, tm0 TIME(0)"),
                    new Declared(
                            "nested",
                            "id INT, ai ARRAY<INT>, `at` ARRAY<ARRAY<STRING>>, ad ARRAY<DECIMAL(10,"
                                + " 2)>, adt ARRAY<TIMESTAMP(6)>, adate ARRAY<DATE>, m MAP<STRING,"
                                + " INT>, mm MAP<INT, MAP<STRING, ARRAY<INT>>>, s ROW<a INT, t"
                                + " TIMESTAMP(6), `inner` ROW<x BIGINT, y ARRAY<STRING>>>, `as`"
                                + " ARRAY<ROW<a INT, b STRING>>"),
                    new Declared(
                            "nested",
                            "id INT, ai STRING, `at` STRING, ad STRING, adt STRING, adate STRING, m"
                                    + " STRING, mm STRING, s STRING, `as` STRING"));

    private TypeTables() {}

    /** Creates and fills the tables in database {@code test}. */
    public static void fill(Standin standin) {
        standin.run(
                "CREATE TABLE test.plain (id INT, b BOOLEAN, t TINYINT, s SMALLINT, i INT, l"
                    + " BIGINT, li LARGEINT, f FLOAT, d DOUBLE, dc DECIMAL(10,2), dec38"
                    + " DECIMAL(38,10), decv2 DECIMALV2(27,9), dec76 DECIMAL(50,10), c CHAR(5), v"
                    + " VARCHAR(100), st STRING, j JSON, va VARIANT, ip4 IPV4, ip6 IPV6, vb"
                    + " VARBINARY(20))"
                        + PROPERTIES,
                "INSERT INTO test.plain VALUES (1, true, 7, 300, 70000, 5000000000,"
                    + " 12345678901234567890, 0.5, 0.1, 12345.67, 1.5, 2.000000001,"
                    + " 1234567890123456789.0123456789, 'abc', 'some 中文', 'a text', '{\"a\": [1,"
                    + " 2]}', '{\"k\": 1}', '1.2.3.4', '::1', X'00FF10')",
                "INSERT INTO test.plain VALUES (2, false, -128, -32768, -2147483648,"
                    + " -9223372036854775808, -170141183460469231731687303715884105728,"
                    + " -3.4028235e38, -1.7976931348623157e308, -99999999.99,"
                    + " -9999999999999999999999999999.9999999999, -999999999999999999.999999999,"
                    + " -9999999999999999999999999999999999999999.9999999999, '', '', '', '{}',"
                    + " '{}', '0.0.0.0', '::', X'')",
                "INSERT INTO test.plain VALUES (3, true, 127, 32767, 2147483647,"
                    + " 9223372036854775807, 170141183460469231731687303715884105727, 3.4028235e38,"
                    + " 1.7976931348623157e308, 99999999.99,"
                    + " 9999999999999999999999999999.9999999999, 999999999999999999.999999999,"
                    + " 9999999999999999999999999999999999999999.9999999999, 'zzzzz', repeat('z',"
                    + " 100), repeat('ü', 5000), '[null, true, \"x\"]', '[1, \"two\", null]',"
                    + " '255.255.255.255', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',"
                    + " X'FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF')",
                "INSERT INTO test.plain VALUES (4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,"
                    + " NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
                "INSERT INTO test.plain VALUES (5, false, 0, 0, 0, 0, 0, 1e-45, 4.9e-324, 0, 0, 0,"
                    + " 0, ' a ', '😱 \"q\" \\\\ ''', 'line\\n"
                    + "break\\ttab 👩‍👩‍👧 \\\\', '{\"emoji\": \"😱\", \"n\": -1.5}', '\"text\"',"
                    + " '200.0.0.1', '2001:db8::ff00:42:8329', X'F09F98B1')",
                "CREATE TABLE test.times (id INT, d DATE, d1 DATEV1, dt0 DATETIME, dtv1 DATETIMEV1,"
                    + " dt3 DATETIME(3), dt6 DATETIME(6), tz0 TIMESTAMPTZ, tz3 TIMESTAMPTZ(3), tz6"
                    + " TIMESTAMPTZ(6), tm TIME(6))"
                        + PROPERTIES,
                "INSERT INTO test.times VALUES (1, '2024-07-01', '2024-07-01', '2024-07-01"
                    + " 12:00:00', '2024-07-01 12:00:00', '2024-07-01 12:00:00.123', '2024-07-01"
                    + " 12:00:00.123456', '2024-07-01 12:00:00+08:00', '2024-07-01"
                    + " 12:00:00.123+08:00', '2024-07-01 12:00:00.123456+08:00',"
                    + " '12:34:56.789012')",
                "INSERT INTO test.times VALUES (2, '0000-01-01', '0001-01-01', '0000-01-01"
                    + " 00:00:00', '0001-01-01 00:00:00', '0000-01-01 00:00:00.001', '0000-01-01"
                    + " 00:00:00.000001', '0001-01-01 00:00:00+00:00', '0001-01-01"
                    + " 00:00:00.001+00:00', '0001-01-01 00:00:00.000001+00:00', '-838:59:59')",
                "INSERT INTO test.times VALUES (3, '9999-12-31', '9999-12-31', '9999-12-31"
                    + " 23:59:59', '9999-12-31 23:59:59', '9999-12-31 23:59:59.999', '9999-12-31"
                    + " 23:59:59.999999', '9999-12-31 12:00:00+00:00', '9999-12-31"
                    + " 12:00:00.999+00:00', '9999-12-31 12:00:00.999999+00:00', '838:59:59')",
                "INSERT INTO test.times VALUES (4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,"
                        + " NULL, NULL)",
                // Just before the epoch, and in the hour that New York skips.
                "INSERT INTO test.times VALUES (5, '1969-12-31', '1969-12-31', '1969-12-31"
                    + " 23:59:59', '1969-12-31 23:59:59', '1969-12-31 23:59:59.999', '1969-12-31"
                    + " 23:59:59.999999', '1969-12-31 23:59:59+00:00', '1969-12-31"
                    + " 23:59:59.999+00:00', '1969-12-31 23:59:59.999999+00:00', '00:00:00')",
                "INSERT INTO test.times VALUES (6, '2024-03-10', '2024-03-10', '2024-03-10"
                        + " 02:30:00', '2024-03-10 02:30:00', '2024-03-10 02:30:00', '2024-03-10"
                        + " 02:30:00', '2024-11-03 05:30:00+00:00', '2024-11-03 05:30:00+00:00',"
                        + " '2024-11-03 06:30:00+00:00', '23:59:59.999999')",
                "CREATE TABLE test.daytimes (id INT, tm TIME(3), tm0 TIME)" + PROPERTIES,
                "INSERT INTO test.daytimes VALUES (1, '12:34:56.789', '12:34:56'), (2, '00:00:00',"
                        + " '00:00:00'), (3, '23:59:59.999', '23:59:59'), (4, NULL, NULL)",
                "CREATE TABLE test.nested (id INT, ai ARRAY<INT>, `at` ARRAY<ARRAY<STRING>>, ad"
                    + " ARRAY<DECIMAL(10,2)>, adt ARRAY<DATETIME(6)>, adate ARRAY<DATE>, m"
                    + " MAP<STRING,INT>, mm MAP<INT,MAP<STRING,ARRAY<INT>>>, s"
                    + " STRUCT<a:INT,t:DATETIME(6),`inner`:STRUCT<x:BIGINT,y:ARRAY<STRING>>>, `as`"
                    + " ARRAY<STRUCT<a:INT,b:STRING>>)"
                        + PROPERTIES,
                "INSERT INTO test.nested VALUES (1, [1, NULL, -3], [['a', '\"q\"'], [], NULL,"
                    + " ['😱']], [1.5, NULL, -0.01], ['2024-07-01 12:00:00.123456', NULL],"
                    + " ['0000-01-01', '9999-12-31'], {'k': 1}, {5: {'x': [1, 2]}},"
                    + " named_struct('a', 1, 't', '2024-07-01 12:00:00.123456', 'inner',"
                    + " named_struct('x', 5, 'y', ['p', 'q'])), [named_struct('a', 1, 'b', 'x'),"
                    + " NULL, named_struct('a', NULL, 'b', NULL)])",
                "INSERT INTO test.nested VALUES (2, [], [], [], [], [], {}, {}, named_struct('a',"
                        + " NULL, 't', NULL, 'inner', named_struct('x', NULL, 'y', [])), [])",
                "INSERT INTO test.nested VALUES (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,"
                        + " NULL)",
                "INSERT INTO test.nested VALUES (4, [2147483647, -2147483648], [[NULL, '']],"
                    + " [99999999.99], ['0000-01-01 00:00:00', '9999-12-31 23:59:59.999999'],"
                    + " [NULL], {'': NULL}, {-1: NULL}, named_struct('a', -2147483648, 't',"
                    + " '1969-12-31 23:59:59.999999', 'inner', NULL), [named_struct('a', 2, 'b',"
                    + " 'line\\n"
                    + "break')])");
    }

    /** A table and the columns that it is declared with. */
    public static final class Declared {

        public final String table;
        public final String columns;

        private Declared(String table, String columns) {
            this.table = table;
            this.columns = columns;
        }

        @Override
        public String toString() {
            return table + " as (" + columns + ")";
        }
    }
}
