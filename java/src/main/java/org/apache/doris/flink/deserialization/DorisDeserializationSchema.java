package org.apache.doris.flink.deserialization;

import org.apache.doris.flink.source.reader.DorisSourceRecord;
import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.util.Collector;

import java.io.Serializable;
import java.util.List;

/**
 * Makes records of a DataStream job from rows of Doris. Called on the task thread, row by row.
 *
 * <p>Values are {@code Boolean}, {@code Byte}, {@code Short}, {@code Integer}, {@code Long}, {@code
 * Float}, {@code Double}, {@code String}, {@code BigDecimal}, {@code LocalDate}, {@code
 * LocalDateTime}, {@code List}, {@code Map} (also of a {@code STRUCT}, by field name), {@code
 * byte[]}, or null. Types that have none of these come as text: {@code LARGEINT}, {@code TIME},
 * {@code JSON}, {@code VARIANT}, IP addresses, decimals of more than 38 digits.
 *
 * @param <T> type of the records
 */
@PublicEvolving
public interface DorisDeserializationSchema<T> extends Serializable, ResultTypeQueryable<T> {

    /**
     * Makes records of one row.
     *
     * @param record values in the order of the read columns; the callee's to keep
     * @param out takes any number of records
     */
    void deserialize(List<?> record, Collector<T> out) throws Exception;

    /**
     * As {@link #deserialize(List, Collector)}, with the kind of the row and the metadata of its
     * change. Without an override every change looks like a row, deletes included.
     */
    default void deserialize(DorisSourceRecord record, Collector<T> out) throws Exception {
        deserialize(record.getFieldValues(), out);
    }
}
