package org.apache.doris.flink.sink.writer.serializer.debezium;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Values by the types that the schema of an envelope names, as the texts that Doris reads. What
 * needs no conversion, or has no schema, stays as it is.
 */
final class LogicalTypes {

    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final long MICROS_PER_SECOND = 1_000_000L;
    private static final long MILLIS_PER_SECOND = 1_000L;
    private static final long SECONDS_PER_MINUTE = 60;
    private static final long SECONDS_PER_HOUR = 3600;
    private static final int FRACTION_DIGITS = 6;
    private static final int MILLI_DIGITS = 3;
    private static final int LAST_YEAR = 9999;
    private static final DateTimeFormatter WALL_CLOCK =
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss");
    private static final Pattern FINER_THAN_MICROS = Pattern.compile("(\\.[0-9]{6})[0-9]+");

    private LogicalTypes() {}

    /** A value does not fit the type that the schema names for it; the message holds no value. */
    static final class Mismatch extends Exception {

        private static final long serialVersionUID = 1L;

        Mismatch(String message) {
            super(message);
        }
    }

    /**
     * The value as it goes to Doris.
     *
     * @param schema of the value as the envelope spells it; null without one
     */
    static Object decode(Map<?, ?> schema, Object value) throws Mismatch {
        if (schema == null || value == null) {
            return value;
        }
        String name = schema.get("name") instanceof String ? (String) schema.get("name") : "";
        try {
            return named(name, schema, value);
        } catch (DateTimeException e) {
            throw new Mismatch(
                    String.format(
                            "a value of type %s is outside the years 0000 to 9999, which are all"
                                    + " that Doris has (PostgreSQL's 'infinity' is one such)",
                            name));
        } catch (IllegalArgumentException | ArithmeticException | ClassCastException e) {
            throw new Mismatch(
                    String.format("a value is not of the type %s that the schema names", name));
        }
    }

    private static Object named(String name, Map<?, ?> schema, Object value) throws Mismatch {
        switch (name) {
            case "io.debezium.time.Date":
            case "org.apache.kafka.connect.data.Date":
                return isText(value) ? value : date(whole(value));
            case "io.debezium.time.Time":
            case "org.apache.kafka.connect.data.Time":
                return isText(value) ? value : time(whole(value), MILLIS_PER_SECOND, MILLI_DIGITS);
            case "io.debezium.time.MicroTime":
                return isText(value)
                        ? value
                        : time(whole(value), MICROS_PER_SECOND, FRACTION_DIGITS);
            case "io.debezium.time.NanoTime":
                return isText(value)
                        ? value
                        : time(
                                Math.floorDiv(whole(value), NANOS_PER_SECOND / MICROS_PER_SECOND),
                                MICROS_PER_SECOND,
                                FRACTION_DIGITS);
            case "io.debezium.time.Timestamp":
            case "org.apache.kafka.connect.data.Timestamp":
                return isText(value)
                        ? value
                        : timestamp(whole(value), MILLIS_PER_SECOND, MILLI_DIGITS);
            case "io.debezium.time.MicroTimestamp":
                return isText(value)
                        ? value
                        : timestamp(whole(value), MICROS_PER_SECOND, FRACTION_DIGITS);
            case "io.debezium.time.NanoTimestamp":
                return isText(value)
                        ? value
                        : timestamp(
                                Math.floorDiv(whole(value), NANOS_PER_SECOND / MICROS_PER_SECOND),
                                MICROS_PER_SECOND,
                                FRACTION_DIGITS);
            case "io.debezium.time.ZonedTimestamp":
                return zoned((String) value);
            case "org.apache.kafka.connect.data.Decimal":
                return value instanceof Json.Digits
                        ? value
                        : decimal((String) value, scale((Map<?, ?>) schema.get("parameters")));
            case "io.debezium.data.VariableScaleDecimal":
                return value instanceof Json.Digits ? value : variable((Map<?, ?>) value);
            case "io.debezium.data.Bits":
                return bits((String) value);
            default:
                return byStructure(schema, value);
        }
    }

    /** Of arrays, maps and structs each part by its own schema. */
    private static Object byStructure(Map<?, ?> schema, Object value) throws Mismatch {
        String type = String.valueOf(schema.get("type")).toLowerCase(Locale.ROOT);
        if (isText(value) && (type.startsWith("float") || type.equals("double"))) {
            return ((String) value).replace("Infinity", "inf");
        }
        if (type.equals("array") && value instanceof List) {
            List<Object> decoded = new ArrayList<>();
            for (Object element : (List<?>) value) {
                decoded.add(decode(object(schema.get("items")), element));
            }
            return decoded;
        }
        if (type.equals("map") && value instanceof Map) {
            Map<String, Object> decoded = new LinkedHashMap<>();
            for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
                decoded.put(
                        (String) entry.getKey(),
                        decode(object(schema.get("values")), entry.getValue()));
            }
            return decoded;
        }
        if (type.equals("struct") && value instanceof Map) {
            Map<String, Map<?, ?>> fields = fields(schema);
            Map<String, Object> decoded = new LinkedHashMap<>();
            for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
                String field = (String) entry.getKey();
                decoded.put(field, decode(fields.get(field), entry.getValue()));
            }
            return decoded;
        }
        return value;
    }

    /** The schemas of a struct's fields by their names. */
    static Map<String, Map<?, ?>> fields(Map<?, ?> struct) {
        Map<String, Map<?, ?>> fields = new LinkedHashMap<>();
        if (struct != null && struct.get("fields") instanceof List) {
            for (Object field : (List<?>) struct.get("fields")) {
                Map<?, ?> schema = object(field);
                if (schema != null && schema.get("field") instanceof String) {
                    fields.put((String) schema.get("field"), schema);
                }
            }
        }
        return fields;
    }

    private static Map<?, ?> object(Object value) {
        return value instanceof Map ? (Map<?, ?>) value : null;
    }

    /** A converter at the source may have spelled the value already. */
    private static boolean isText(Object value) {
        return value instanceof String;
    }

    private static long whole(Object value) {
        return new BigDecimal(((Json.Digits) value).toString()).longValueExact();
    }

    private static String date(long days) {
        return inRange(LocalDate.ofEpochDay(days).atStartOfDay()).toLocalDate().toString();
    }

    /** Times of MySQL may be negative, or longer than a day. */
    private static String time(long units, long perSecond, int digits) {
        long positive = Math.abs(units);
        long seconds = positive / perSecond;
        return String.format(
                Locale.ROOT,
                "%s%02d:%02d:%02d%s",
                units < 0 ? "-" : "",
                seconds / SECONDS_PER_HOUR,
                seconds / SECONDS_PER_MINUTE % SECONDS_PER_MINUTE,
                seconds % SECONDS_PER_MINUTE,
                fraction(positive % perSecond, digits));
    }

    private static String timestamp(long units, long perSecond, int digits) {
        LocalDateTime seconds =
                LocalDateTime.ofEpochSecond(Math.floorDiv(units, perSecond), 0, ZoneOffset.UTC);
        return WALL_CLOCK.format(inRange(seconds))
                + fraction(Math.floorMod(units, perSecond), digits);
    }

    private static String fraction(long units, int digits) {
        return units == 0 ? "" : String.format(Locale.ROOT, ".%0" + digits + "d", units);
    }

    private static LocalDateTime inRange(LocalDateTime time) {
        if (time.getYear() < 0 || time.getYear() > LAST_YEAR) {
            throw new DateTimeException("year");
        }
        return time;
    }

    /** An instant with its zone, as far as Doris resolves it. */
    static String zoned(String text) {
        if (text.startsWith("+") || text.startsWith("-")) {
            throw new DateTimeException("year");
        }
        return FINER_THAN_MICROS.matcher(text).replaceFirst("$1");
    }

    /**
     * @param holder what has the scale; null if the schema lacks it
     */
    private static int scale(Map<?, ?> holder) {
        return Integer.parseInt(String.valueOf(holder == null ? null : holder.get("scale")));
    }

    private static Json.Digits variable(Map<?, ?> value) {
        return decimal(String.valueOf(value.get("value")), scale(value));
    }

    private static Json.Digits decimal(String base64, int scale) {
        BigInteger unscaled = new BigInteger(Base64.getDecoder().decode(base64));
        return new Json.Digits(new BigDecimal(unscaled, scale).toPlainString());
    }

    /** The unsigned number that the bits spell; the least significant byte comes first. */
    private static Json.Digits bits(String base64) {
        byte[] bytes = Base64.getDecoder().decode(base64);
        byte[] reversed = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            reversed[i] = bytes[bytes.length - 1 - i];
        }
        return new Json.Digits(new BigInteger(1, reversed).toString());
    }
}
