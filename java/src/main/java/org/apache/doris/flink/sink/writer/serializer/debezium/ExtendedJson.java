package org.apache.doris.flink.sink.writer.serializer.debezium;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.Map;
import java.util.Set;

/** Fields of MongoDB's documents, whose types are objects such as {@code {"$oid": "64…"}}. */
final class ExtendedJson {

    private static final Set<String> NUMBERS =
            Set.of("$numberInt", "$numberLong", "$numberDouble", "$numberDecimal");

    private ExtendedJson() {}

    /** The value that a typed object holds; anything else, nested fields included, as it is. */
    static Object plain(Object value) throws LogicalTypes.Mismatch {
        if (!(value instanceof Map) || ((Map<?, ?>) value).size() != 1) {
            return value;
        }
        Map.Entry<?, ?> only = ((Map<?, ?>) value).entrySet().iterator().next();
        String type = (String) only.getKey();
        Object held = only.getValue();
        if (type.equals("$oid") && held instanceof String) {
            return held;
        }
        if (NUMBERS.contains(type) && held instanceof String) {
            return ((String) held).replace("Infinity", "inf");
        }
        return type.equals("$date") ? instant(held) : value;
    }

    /** Milliseconds since 1970, or a text, as an instant in UTC. */
    private static Object instant(Object held) throws LogicalTypes.Mismatch {
        Object millis = held instanceof Map ? ((Map<?, ?>) held).get("$numberLong") : held;
        if (held instanceof String) {
            return held;
        }
        try {
            return LogicalTypes.zoned(
                    Instant.ofEpochMilli(Long.parseLong(String.valueOf(millis))).toString());
        } catch (DateTimeException | NumberFormatException e) {
            throw new LogicalTypes.Mismatch(
                    "a value of type $date is outside the years 0000 to 9999, or no number");
        }
    }
}
