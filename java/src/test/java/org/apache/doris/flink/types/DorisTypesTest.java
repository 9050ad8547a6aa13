package org.apache.doris.flink.types;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.RowType;
import org.junit.jupiter.api.Test;

/** Which declared types can be read at all. */
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
