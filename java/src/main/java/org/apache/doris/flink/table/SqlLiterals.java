package org.apache.doris.flink.table;

import java.math.BigDecimal;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;

/** Names and values in Doris' dialect, which quotes as MySQL does. */
final class SqlLiterals {

    private static final DateTimeFormatter SECONDS =
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss", Locale.ROOT);
    private static final int NANOS_PER_MICRO = 1000;
    private static final int MAX_YEAR = 9999;

    private SqlLiterals() {}

    /** A name in backticks. */
    static String name(String name) {
        return "`" + name.replace("`", "``") + "`";
    }

    /**
     * Text in quotes. A backslash is an escape in Doris, so both it and the quote are doubled.
     * Empty for what has no UTF-8 form, and for the zero character, which not every hop keeps.
     */
    static Optional<String> text(String value) {
        if (value.indexOf('\0') >= 0) {
            return Optional.empty();
        }
        try {
            StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(value));
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
        return Optional.of("'" + value.replace("\\", "\\\\").replace("'", "''") + "'");
    }

    /** A number, never with an exponent. */
    static String number(BigDecimal value) {
        return value.signum() == 0 ? "0" : value.stripTrailingZeros().toPlainString();
    }

    /** A date in quotes; empty outside the years of Doris. */
    static Optional<String> date(LocalDate value) {
        return hasYear(value) ? Optional.of("'" + value + "'") : Optional.empty();
    }

    /** A time stamp in quotes; empty outside the years of Doris and below microseconds. */
    static Optional<String> timestamp(LocalDateTime value) {
        if (!hasYear(value.toLocalDate()) || value.getNano() % NANOS_PER_MICRO != 0) {
            return Optional.empty();
        }
        String fraction =
                value.getNano() == 0
                        ? ""
                        : String.format(Locale.ROOT, ".%06d", value.getNano() / NANOS_PER_MICRO);
        return Optional.of("'" + SECONDS.format(value) + fraction + "'");
    }

    private static boolean hasYear(LocalDate date) {
        return date.getYear() >= 1 && date.getYear() <= MAX_YEAR;
    }
}
