package org.apache.doris.flink.config.rule;

import org.apache.doris.flink.config.option.CommonOptions;
import org.apache.doris.flink.config.option.DorisOption;
import org.apache.doris.flink.config.option.InvalidOption;
import org.apache.doris.flink.config.option.OptionValues;
import org.apache.doris.flink.config.option.SinkOptions;
import org.apache.flink.table.api.ValidationException;

import java.util.List;
import java.util.Map;

/** Rules on the options of writing through object storage, {@code sink.write-mode} = TVF. */
final class TvfRules {

    private TvfRules() {}

    /** What the mode needs and what does not go with it. */
    static void check(OptionValues options, Map<String, String> properties) {
        String remedy = "Change one of the two.";
        String with = "not allowed with 'sink.write-mode' = 'TVF'";
        if (options.get(SinkOptions.ENABLE_BATCH_MODE)) {
            throw options.invalid(SinkOptions.ENABLE_BATCH_MODE, with, remedy);
        }
        if (!options.get(SinkOptions.ENABLE_2PC)) {
            throw options.invalid(SinkOptions.ENABLE_2PC, with, remedy);
        }
        for (DorisOption<String> needed :
                List.of(
                        CommonOptions.JDBC_URL,
                        SinkOptions.LABEL_PREFIX,
                        SinkOptions.S3_ENDPOINT,
                        SinkOptions.S3_REGION,
                        SinkOptions.S3_BUCKET,
                        SinkOptions.S3_PREFIX)) {
            if (options.text(needed).isEmpty()) {
                throw new ValidationException(
                        String.format(
                                "Option 'sink.write-mode' = 'TVF' needs option '%s': set it.",
                                needed.key()));
            }
        }
        if (options.text(SinkOptions.S3_PREFIX)
                .get()
                .matches(".*[*?\\[\\]{},\\\\].*|(.*/)?\\.\\.(/.*)?")) {
            throw options.invalid(
                    SinkOptions.S3_PREFIX,
                    "glob characters (* ? [ ] { } , \\) and '..' are not allowed",
                    "Choose a plain folder.");
        }
        checkLogin(options);
        String format = properties.getOrDefault("format", "json");
        if (!format.trim().equalsIgnoreCase("json")) {
            throw InvalidOption.of(
                    SinkOptions.PROPERTIES_PREFIX + "format",
                    format,
                    "only 'json' goes with 'TVF'",
                    "");
        }
    }

    private static void checkLogin(OptionValues options) {
        boolean access = options.text(SinkOptions.S3_ACCESS_KEY).isPresent();
        boolean secret = options.text(SinkOptions.S3_SECRET_KEY).isPresent();
        boolean role = options.text(SinkOptions.S3_ROLE_ARN).isPresent();
        if (access != secret) {
            throw options.invalid(
                    access ? SinkOptions.S3_ACCESS_KEY : SinkOptions.S3_SECRET_KEY,
                    "'sink.s3.access-key' and 'sink.s3.secret-key' go together",
                    "Set the other one as well.");
        }
        if (!access && !role) {
            throw new ValidationException(
                    "Option 'sink.write-mode' = 'TVF' needs options 'sink.s3.access-key' and"
                            + " 'sink.s3.secret-key', or 'sink.s3.role-arn': set them.");
        }
        if (options.text(SinkOptions.S3_EXTERNAL_ID).isPresent() && !role) {
            throw options.invalid(
                    SinkOptions.S3_EXTERNAL_ID,
                    "it goes with option 'sink.s3.role-arn' only",
                    "Set the role, or remove the external id.");
        }
    }
}
