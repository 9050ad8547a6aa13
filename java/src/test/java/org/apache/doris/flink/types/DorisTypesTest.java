package org.apache.doris.flink.types;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.types.AtomicDataType;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.SymbolType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.stream.Stream;

/** Which declared types can be read and written at all. */
class DorisTypesTest {

    @Test
    void everyReadableTypePasses() {
        assertThatCode(
                        () ->
                                check(
                                        DataTypes.BOOLEAN(),
                                        DataTypes.TINYINT(),
                                        DataTypes.SMALLINT(),
                                        DataTypes.INT(),
                                        DataTypes.BIGINT(),
                                        DataTypes.FLOAT(),
                                        DataTypes.DOUBLE(),
                                        DataTypes.DECIMAL(38, 10),
                                        DataTypes.CHAR(5),
                                        DataTypes.VARCHAR(10),
                                        DataTypes.STRING(),
                                        DataTypes.BINARY(4),
                                        DataTypes.BYTES(),
                                        DataTypes.DATE(),
                                        DataTypes.TIME(3),
                                        DataTypes.TIMESTAMP(9),
                                        DataTypes.TIMESTAMP_LTZ(6),
                                        DataTypes.ARRAY(DataTypes.ARRAY(DataTypes.DATE())),
                                        DataTypes.MAP(DataTypes.STRING(), DataTypes.INT()),
                                        DataTypes.ROW(DataTypes.FIELD("a", DataTypes.INT()))))
                .doesNotThrowAnyException();
    }

    static Stream<DataType> writable() {
        return Stream.of(
                DataTypes.BOOLEAN(),
                DataTypes.TINYINT(),
                DataTypes.SMALLINT(),
                DataTypes.INT(),
                DataTypes.BIGINT(),
                DataTypes.FLOAT(),
                DataTypes.DOUBLE(),
                DataTypes.DECIMAL(38, 10),
                DataTypes.CHAR(5),
                DataTypes.VARCHAR(10),
                DataTypes.STRING(),
                DataTypes.BINARY(4),
                DataTypes.BYTES(),
                DataTypes.DATE(),
                DataTypes.TIME(9),
                DataTypes.TIMESTAMP(9),
                DataTypes.TIMESTAMP_LTZ(9),
                DataTypes.INTERVAL(DataTypes.MONTH()),
                DataTypes.INTERVAL(DataTypes.SECOND(3)),
                DataTypes.ARRAY(DataTypes.MULTISET(DataTypes.STRING())),
                DataTypes.MAP(DataTypes.INT(), DataTypes.MAP(DataTypes.STRING(), DataTypes.INT())),
                DataTypes.ROW(DataTypes.FIELD("a", DataTypes.BYTES())));
    }

    @ParameterizedTest
    @MethodSource("writable")
    void everyWritableTypePasses(DataType type) {
        assertThatCode(() -> DorisTypes.checkWritable("test.t", row(type)))
                .doesNotThrowAnyException();
    }

    static Stream<Arguments> neverWritable() {
        return Stream.of(
                Arguments.of(DataTypes.NULL(), "`f0` NULL (Doris has no such type)"),
                Arguments.of(
                        DataTypes.RAW(Integer.class, IntSerializer.INSTANCE),
                        "`f0` RAW('java.lang.Integer', '...') (Doris has no such type)"),
                Arguments.of(
                        new AtomicDataType(new SymbolType<>()),
                        "`f0` SYMBOL (Doris has no such type)"),
                Arguments.of(
                        DataTypes.STRUCTURED(Pair.class, DataTypes.FIELD("first", DataTypes.INT())),
                        " (Doris has no such type)"),
                Arguments.of(
                        DataTypes.TIMESTAMP_WITH_TIME_ZONE(3),
                        "`f0` TIMESTAMP(3) WITH TIME ZONE (use TIMESTAMP_LTZ)"),
                Arguments.of(
                        DataTypes.ARRAY(DataTypes.ROW(DataTypes.FIELD("x", DataTypes.NULL()))),
                        "`f0` ARRAY<ROW<`x` NULL>> (Doris has no such type)"),
                Arguments.of(
                        DataTypes.MAP(DataTypes.ARRAY(DataTypes.INT()), DataTypes.INT()),
                        "`f0` MAP<ARRAY<INT>, INT> (a key is a plain value, without parts)"));
    }

    @ParameterizedTest
    @MethodSource("neverWritable")
    void typesThatNoColumnTakesAreNamed(DataType type, String words) {
        assertThatThrownBy(() -> DorisTypes.checkWritable("test.t", row(type)))
                .isInstanceOf(ValidationException.class)
                .hasMessageStartingWith(
                        "Table test.t declares columns of types that cannot be written to Doris: ")
                .hasMessageContaining(words);
    }

    /** A class with fields. */
    public static class Pair {
        public Integer first;
    }

    private static RowType row(DataType type) {
        return RowType.of(type.getLogicalType());
    }

    @Test
    void allRefusedColumnsAreInOneMessage() {
        assertThatThrownBy(
                        () ->
                                check(
                                        DataTypes.INTERVAL(DataTypes.DAY()),
                                        DataTypes.INT(),
                                        DataTypes.ARRAY(DataTypes.TIMESTAMP_WITH_TIME_ZONE(3)),
                                        DataTypes.MULTISET(DataTypes.INT())))
                .isInstanceOf(ValidationException.class)
                .hasMessageContaining("test.t")
                .hasMessageContaining("`f0`")
                .hasMessageContaining("`f2`")
                .hasMessageContaining("TIMESTAMP_LTZ")
                .hasMessageContaining("`f3`")
                .hasMessageNotContaining("`f1`");
    }

    @Test
    void commentsInsideRowsAreDropped() {
        DataType commented =
                DataTypes.ARRAY(
                        DataTypes.ROW(
                                DataTypes.FIELD("a", DataTypes.INT().notNull(), "it's a comment")));
        assertThat(DorisTypes.plain(commented.getLogicalType()).asSerializableString())
                .isEqualTo("ARRAY<ROW<`a` INT NOT NULL>>");
    }

    private static void check(DataType... types) {
        DorisTypes.checkReadable("test.t", (RowType) DataTypes.ROW(types).getLogicalType());
    }
}
