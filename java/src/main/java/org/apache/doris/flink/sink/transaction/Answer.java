package org.apache.doris.flink.sink.transaction;

import org.apache.flink.annotation.Internal;

import java.io.IOException;

/** What became of one part of a call that has several: its value, or its failure. */
@Internal
public final class Answer<T> {

    private final T value;
    private final IOException failure;

    private Answer(T value, IOException failure) {
        this.value = value;
        this.failure = failure;
    }

    /** Of a part that succeeded. */
    public static <T> Answer<T> of(T value) {
        return new Answer<>(value, null);
    }

    /** Of a part that failed. */
    public static <T> Answer<T> failed(IOException failure) {
        return new Answer<>(null, failure);
    }

    /** The value; throws the failure of the part. */
    public T get() throws IOException {
        if (failure != null) {
            throw failure;
        }
        return value;
    }
}
