package org.apache.doris.flink.config.rule;

import org.apache.doris.flink.config.Delimiter;
import org.apache.doris.flink.config.LoadProperties;
import org.apache.doris.flink.config.option.OptionValues;

import java.util.List;
import java.util.Map;

/**
 * Rules on how the connector spells rows as text: what Doris could not take apart again is refused
 * before a row is sent. They do not hold for the rows of a user's serializer, which may be spelled
 * otherwise.
 */
final class CsvRules {

    private static final String NULL = LoadProperties.NULL_VALUE;
    private static final String QUOTE = "\"";

    private CsvRules() {}

    static void check(OptionValues options, Map<String, String> properties) {
        String format = LoadProperties.format(properties);
        if (format.equals("json")) {
            checkJsonDelimiter(properties);
        }
        if (!format.equals("csv")) {
            return;
        }
        checkDelimiters(properties);
        checkEnclose(properties);
        checkTrim(options, properties);
    }

    /** A line delimiter must never stand inside a document. */
    private static void checkJsonDelimiter(Map<String, String> properties) {
        String value = properties.get("line_delimiter");
        if (value == null) {
            return;
        }
        char first = Delimiter.bytes(value).charAt(0);
        boolean legal =
                first < ' '
                        || first < 0x7F
                                && !Character.isLetterOrDigit(first)
                                && "\"\\{}[]:,+-. ".indexOf(first) < 0;
        if (!legal) {
            throw LoadRules.invalid(
                    "line_delimiter",
                    value,
                    "it may occur inside a JSON document; allowed is one that begins with a control"
                            + " character or a punctuation mark that JSON does not use",
                    "Leave the option out for a line break.");
        }
    }

    private static void checkDelimiters(Map<String, String> properties) {
        String column = Delimiter.bytes(properties.getOrDefault("column_separator", "\\t"));
        String line = Delimiter.bytes(properties.getOrDefault("line_delimiter", "\\n"));
        boolean encloses = properties.containsKey(LoadProperties.ENCLOSE);
        if (column.contains(line)) {
            throw delimiter(
                    properties,
                    "column_separator",
                    "it holds the line delimiter, at which each row would end",
                    "Change one of 'sink.properties.column_separator' and"
                            + " 'sink.properties.line_delimiter'.");
        }
        if (encloses && line.contains(column)) {
            throw delimiter(
                    properties,
                    "line_delimiter",
                    "with 'sink.properties.enclose' it must not hold the column separator, which"
                            + " Doris would find in it",
                    "Change one of 'sink.properties.column_separator' and"
                            + " 'sink.properties.line_delimiter'.");
        }
        for (String name : List.of("column_separator", "line_delimiter")) {
            String bytes = name.equals("column_separator") ? column : line;
            boolean early = (NULL + bytes).indexOf(bytes) < NULL.length();
            if (early || encloses && mayReach(NULL, bytes)) {
                throw delimiter(
                        properties,
                        name,
                        "it must not be a part of \\N, the mark of NULL",
                        "Choose another one.");
            }
        }
    }

    /** Whether the delimiter may begin inside the text, whatever follows. */
    private static boolean mayReach(String text, String delimiter) {
        for (int at = 0; at < text.length(); at++) {
            if (delimiter.startsWith(text.substring(at))) {
                return true;
            }
        }
        return false;
    }

    private static void checkEnclose(Map<String, String> properties) {
        String enclose = properties.get(LoadProperties.ENCLOSE);
        // Doris needs one to read back what an enclosed text may hold, so the sink sets it.
        String escape = properties.getOrDefault("escape", enclose == null ? null : "\\");
        if (enclose != null && NULL.contains(enclose)) {
            throw LoadRules.invalid(
                    LoadProperties.ENCLOSE,
                    enclose,
                    "it must not be a part of \\N, the mark of NULL",
                    "Set it to '\"'.");
        }
        if (enclose != null && enclose.equals(escape)) {
            throw LoadRules.invalid(
                    "escape",
                    escape,
                    "'sink.properties.enclose' is the same character",
                    "Leave the option out for a backslash.");
        }
        for (String name : List.of("column_separator", "line_delimiter")) {
            String text = properties.getOrDefault(name, name.startsWith("column") ? "\\t" : "\\n");
            for (String character : new String[] {enclose, escape}) {
                if (character != null && Delimiter.bytes(text).contains(character)) {
                    throw delimiter(
                            properties,
                            name,
                            "it holds "
                                    + (character.equals(enclose) ? "the enclosing" : "the escape")
                                    + " character "
                                    + character,
                            "Choose another one.");
                }
            }
        }
    }

    /** Texts are enclosed by the character of 'enclose' only, so others would lose their quotes. */
    private static void checkTrim(OptionValues options, Map<String, String> properties) {
        String trim = properties.get(LoadProperties.TRIM_DOUBLE_QUOTES);
        if (trim == null) {
            return;
        }
        boolean quotes = QUOTE.equals(properties.get(LoadProperties.ENCLOSE));
        if (LoadRules.isTrue(trim) && !quotes) {
            throw LoadRules.invalid(
                    LoadProperties.TRIM_DOUBLE_QUOTES,
                    trim,
                    "without 'sink.properties.enclose' = '\"' Doris would take off the quotes of"
                            + " texts that begin and end with one",
                    "Remove the option, or set 'sink.properties.enclose' to '\"'.");
        }
        if (!LoadRules.isTrue(trim) && quotes) {
            options.warn(
                    "Option 'sink.properties.trim_double_quotes' = '"
                            + trim
                            + "': older servers leave the quotes in texts that had to be enclosed"
                            + " by 'sink.properties.enclose' = '\"'. Remove the option.");
        }
    }

    private static RuntimeException delimiter(
            Map<String, String> properties, String name, String trouble, String remedy) {
        String given = properties.getOrDefault(name, name.startsWith("column") ? "\\t" : "\\n");
        String shown = given.chars().anyMatch(Character::isISOControl) ? hex(given) : given;
        return LoadRules.invalid(name, shown, trouble, remedy);
    }

    private static String hex(String text) {
        StringBuilder hex = new StringBuilder();
        Delimiter.bytes(text).chars().forEach(c -> hex.append(String.format("\\x%02x", c)));
        return hex.toString();
    }
}
