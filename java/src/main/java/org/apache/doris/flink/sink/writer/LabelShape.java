package org.apache.doris.flink.sink.writer;

import org.apache.doris.flink.sink.transaction.LabelSeries;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.regex.Pattern;

/**
 * How labels look: {@code <prefix>_<database>_<table>_<subtask>_<op>-<epoch>-<attempt>_<n>}, and
 * without two-phase commit a random id in place of op, epoch and attempt. At most 128 characters of
 * {@code [-_A-Za-z0-9:]} (Doris manual, Stream Load); always the same for the same parts, so that a
 * later run finds them.
 */
final class LabelShape {

    /** Most characters of a label. */
    static final int MAX_LABEL = 128;

    /** Room for everything after the table: subtask, op, epoch, attempt, number. */
    static final int TAIL = 43;

    private static final Pattern LEGAL = Pattern.compile("[-_A-Za-z0-9:]+");
    private static final int OP_DIGITS = 6;
    private static final int NAME_DIGITS = 16;
    private static final int RANDOM_BYTES = 8;

    private LabelShape() {}

    /** 16 random hex digits. */
    static String randomId() {
        byte[] random = new byte[RANDOM_BYTES];
        new SecureRandom().nextBytes(random);
        return hex(random, 2 * RANDOM_BYTES);
    }

    /** Distinguishes two sinks that write one table under one prefix: 6 hex digits. */
    static String op(String operatorId, String prefix, String database, String table) {
        return digest(OP_DIGITS, operatorId, prefix, database, table);
    }

    /** The series of one attempt of one subtask, with two-phase commit. */
    static LabelSeries twoPhase(
            String prefix,
            String database,
            String table,
            int subtask,
            String op,
            long epoch,
            int attempt) {
        return series(
                prefix, database, table, subtask + "_" + op + "-" + epoch + "-" + attempt + "_");
    }

    /** The series of one attempt of one subtask, without two-phase commit. */
    static LabelSeries onePhase(
            String prefix, String database, String table, int subtask, String randomId) {
        return series(prefix, database, table, subtask + "_" + randomId + "_");
    }

    private static LabelSeries series(String prefix, String database, String table, String tail) {
        String name = database + "_" + table;
        int room = MAX_LABEL - TAIL - 2 - prefix.length();
        if (name.length() > room || !LEGAL.matcher(name).matches()) {
            name = digest(NAME_DIGITS, database, table);
        }
        LabelSeries series = new LabelSeries(database, prefix + "_" + name + "_" + tail);
        // Nineteen digits of a number are beyond any life of a job; ten are not.
        if (series.base().length() + 10 > MAX_LABEL || !LEGAL.matcher(series.base()).matches()) {
            throw new IllegalArgumentException(
                    "No label of Doris can begin with '" + series.base() + "'.");
        }
        return series;
    }

    private static String digest(int digits, String... parts) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            for (String part : parts) {
                byte[] utf8 = part.getBytes(StandardCharsets.UTF_8);
                // The length in front keeps ("a", "bc") and ("ab", "c") apart.
                sha.update((utf8.length + ":").getBytes(StandardCharsets.UTF_8));
                sha.update(utf8);
            }
            return hex(sha.digest(), digits);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-256.", e);
        }
    }

    private static String hex(byte[] bytes, int digits) {
        StringBuilder text = new StringBuilder();
        for (byte b : bytes) {
            text.append(String.format("%02x", b));
        }
        return text.substring(0, digits);
    }
}
