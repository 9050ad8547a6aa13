package org.apache.doris.flink.sink.writer.serializer;

import org.apache.flink.annotation.PublicEvolving;

import java.io.IOException;
import java.io.Serializable;

/**
 * Turns the records of a stream into rows as the load's format spells them. All methods are called
 * by the task's thread.
 *
 * @param <T> type of the records
 */
@PublicEvolving
public interface DorisRecordSerializer<T> extends Serializable {

    /**
     * The row of a record, without the line delimiter at its end. Null and {@link
     * DorisRecord#empty} mean that there is none.
     *
     * @throws IOException if the record cannot be spelled; the job fails
     */
    DorisRecord serialize(T record) throws IOException;

    /** Called once before the first record. */
    default void initial() {}

    /** One more row before a checkpoint or the end of the input; null when there is none. */
    default DorisRecord flush() {
        return DorisRecord.empty;
    }

    /** Called once at the end, also after a failure. */
    default void close() throws Exception {}
}
