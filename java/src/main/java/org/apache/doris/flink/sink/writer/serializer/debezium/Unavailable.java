package org.apache.doris.flink.sink.writer.serializer.debezium;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;

/**
 * The placeholders that Debezium sends for large values of PostgreSQL and Oracle which did not
 * change and are not in the log.
 */
final class Unavailable {

    private static final String TEXT = "__debezium_unavailable_value";
    private static final String BYTES =
            Base64.getEncoder().encodeToString(TEXT.getBytes(StandardCharsets.UTF_8));
    private static final Set<Object> VALUES = Set.of(TEXT, BYTES, List.of(TEXT), ofNumbers());

    private Unavailable() {}

    /** Whether a value stands for one that was not sent. */
    static boolean is(Object value) {
        return value != null && VALUES.contains(value);
    }

    /** Arrays of numbers hold the bytes of the text. */
    private static List<Object> ofNumbers() {
        List<Object> numbers = new ArrayList<>();
        for (byte letter : TEXT.getBytes(StandardCharsets.UTF_8)) {
            numbers.add(new Json.Digits(String.valueOf(letter)));
        }
        return numbers;
    }
}
