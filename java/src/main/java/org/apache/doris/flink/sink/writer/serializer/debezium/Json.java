package org.apache.doris.flink.sink.writer.serializer.debezium;

import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonFactory;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonParser;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonProcessingException;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonToken;

import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * JSON as plain Java values: {@code Map}, {@code List}, {@code String}, {@code Boolean}, {@link
 * Digits} and null. Numbers are never computed with, so that all their digits stay.
 */
final class Json {

    /** Longest text that a number with an exponent is written out to. */
    private static final int LONGEST_PLAIN = 80;

    private static final JsonFactory FACTORY = new JsonFactory();

    private Json() {}

    /** A number as it is spelled. */
    static final class Digits {

        private final String text;

        Digits(String text) {
            this.text = text;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Digits && ((Digits) other).text.equals(text);
        }

        @Override
        public int hashCode() {
            return text.hashCode();
        }

        @Override
        public String toString() {
            return text;
        }

        /** Without an exponent, where that does not take a page of zeros. */
        String plain() {
            if (text.indexOf('e') < 0 && text.indexOf('E') < 0) {
                return text;
            }
            BigDecimal number;
            try {
                number = new BigDecimal(text);
            } catch (NumberFormatException e) {
                // An exponent of more than nine digits.
                return text;
            }
            long length = Math.abs((long) number.scale()) + number.precision();
            return length > LONGEST_PLAIN ? text : number.toPlainString();
        }
    }

    /**
     * The value of a text that holds one and nothing else.
     *
     * @throws IOException names the place at which the text is no JSON, and nothing of its content
     */
    static Object parse(String text) throws IOException {
        try (JsonParser parser = FACTORY.createParser(text)) {
            JsonToken first = parser.nextToken();
            if (first == null) {
                throw new IOException("it is empty");
            }
            Object value = value(parser, first);
            if (parser.nextToken() != null) {
                throw new IOException(
                        "more follows behind the value, at character "
                                + parser.getTokenLocation().getCharOffset());
            }
            return value;
        } catch (JsonProcessingException e) {
            // Its message quotes the text.
            throw new IOException(
                    String.format(
                            "it cannot be read at character %d (%s)",
                            e.getLocation() == null ? -1 : e.getLocation().getCharOffset(),
                            e.getClass().getSimpleName()));
        }
    }

    private static Object value(JsonParser parser, JsonToken token) throws IOException {
        switch (token) {
            case START_OBJECT:
                Map<String, Object> object = new LinkedHashMap<>();
                while (parser.nextToken() == JsonToken.FIELD_NAME) {
                    String name = parser.getText();
                    object.put(name, value(parser, parser.nextToken()));
                }
                return object;
            case START_ARRAY:
                List<Object> array = new ArrayList<>();
                for (JsonToken next = parser.nextToken();
                        next != JsonToken.END_ARRAY;
                        next = parser.nextToken()) {
                    array.add(value(parser, next));
                }
                return array;
            case VALUE_STRING:
                return parser.getText();
            case VALUE_NUMBER_INT:
            case VALUE_NUMBER_FLOAT:
                return new Digits(parser.getText());
            case VALUE_TRUE:
                return Boolean.TRUE;
            case VALUE_FALSE:
                return Boolean.FALSE;
            default:
                return null;
        }
    }

    /** Appends a value as JSON. */
    static void write(Object value, StringBuilder out) {
        if (value instanceof Map) {
            char separator = '{';
            for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
                out.append(separator);
                quote((String) entry.getKey(), out);
                out.append(':');
                write(entry.getValue(), out);
                separator = ',';
            }
            out.append(separator == '{' ? "{}" : "}");
        } else if (value instanceof List) {
            char separator = '[';
            for (Object element : (List<?>) value) {
                out.append(separator);
                write(element, out);
                separator = ',';
            }
            out.append(separator == '[' ? "[]" : "]");
        } else if (value instanceof String) {
            quote((String) value, out);
        } else {
            out.append(value);
        }
    }

    /** Appends a text as a JSON string. */
    static void quote(String text, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ') {
                out.append("\\u00")
                        .append(c < 0x10 ? '0' : '1')
                        .append(Character.forDigit(c & 15, 16));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }
}
