package org.apache.doris.flink.config.option;

import org.apache.flink.annotation.Internal;
import org.apache.flink.table.api.ValidationException;

import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The wording of every configuration error: key, value as given, what is allowed, what to do.
 * Secrets and the user part of addresses are masked here, in one place.
 */
@Internal
public final class InvalidOption {

    private static final String MASK = "******";
    private static final Pattern USER_INFO = Pattern.compile("//[^/?#\\s]*@");
    private static final Pattern SECRET_PARAMETER =
            Pattern.compile("(?i)(password\\w*|pwd|secret\\w*|token)=[^&;\\s]*");

    private InvalidOption() {}

    /**
     * An error about one value.
     *
     * @param key the key as the user wrote it
     * @param value the value as given; masked if the key is a secret
     * @param allowed what would be accepted, without a full stop
     * @param remedy what to do, a whole sentence; may be empty
     */
    public static ValidationException of(String key, String value, String allowed, String remedy) {
        return new ValidationException(
                String.format(
                        "Invalid value '%s' for option '%s': %s.%s",
                        shown(key, value), key, allowed, remedy.isEmpty() ? "" : " " + remedy));
    }

    /**
     * An error about a value for a feature that is not built yet.
     *
     * @param what the feature, for example "Reading the changelog"
     * @param remedy what to do instead, a whole sentence
     */
    public static ValidationException notSupportedYet(
            String what, String key, String value, String remedy) {
        return new ValidationException(
                String.format(
                        "%s is not supported yet: option '%s' has the value '%s'. %s",
                        what, key, shown(key, value), remedy));
    }

    /** The value with secrets and user information in addresses masked. */
    public static String shown(String key, String value) {
        if (isSecret(key)) {
            return MASK;
        }
        String masked = USER_INFO.matcher(value).replaceAll("//" + MASK + "@");
        return SECRET_PARAMETER.matcher(masked).replaceAll("$1=" + MASK);
    }

    private static boolean isSecret(String key) {
        String lower = key.toLowerCase(Locale.ROOT);
        return lower.contains("password")
                || lower.contains("secret")
                || lower.contains("token")
                || lower.endsWith("access-key")
                || lower.contains("authorization");
    }
}
