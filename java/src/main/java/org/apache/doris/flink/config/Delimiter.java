package org.apache.doris.flink.config;

import org.apache.flink.annotation.Internal;

import java.nio.charset.StandardCharsets;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Delimiters of rows and columns, whose texts may hold escapes. */
@Internal
public final class Delimiter {

    private static final Pattern ESCAPE =
            Pattern.compile("\\\\(?:[xX]([0-9A-Fa-f]{2})|([ntr]))", Pattern.DOTALL);

    private Delimiter() {}

    /** The text that stands between rows or columns: each {@code \xNN} is a character. */
    public static String resolve(String text) {
        return ESCAPE.matcher(text)
                .replaceAll(escape -> Matcher.quoteReplacement(String.valueOf(character(escape))));
    }

    /** The bytes that stand between rows or columns, each as a character. */
    public static String bytes(String text) {
        StringBuilder bytes = new StringBuilder();
        Matcher escape = ESCAPE.matcher(text);
        int at = 0;
        while (escape.find()) {
            bytes.append(utf8(text.substring(at, escape.start()))).append(character(escape));
            at = escape.end();
        }
        return bytes.append(utf8(text.substring(at))).toString();
    }

    private static String utf8(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    private static char character(MatchResult escape) {
        if (escape.group(1) != null) {
            return (char) Integer.parseInt(escape.group(1), 16);
        }
        switch (escape.group(2)) {
            case "n":
                return '\n';
            case "t":
                return '\t';
            default:
                return '\r';
        }
    }
}
