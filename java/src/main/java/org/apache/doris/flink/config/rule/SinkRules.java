package org.apache.doris.flink.config.rule;

import org.apache.doris.flink.config.LoadProperties;
import org.apache.doris.flink.config.option.CommonOptions;
import org.apache.doris.flink.config.option.DorisOption;
import org.apache.doris.flink.config.option.InvalidOption;
import org.apache.doris.flink.config.option.OptionValues;
import org.apache.doris.flink.config.option.SinkOptions;
import org.apache.flink.annotation.Internal;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.MemorySize;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Rules on the options of writing: those on single values hold whatever a table is used for, those
 * on combinations when it is written to. {@link LoadRules} has those on Stream Load parameters.
 */
@Internal
public final class SinkRules {

    private static final int MAX = Integer.MAX_VALUE;
    private static final int MAX_LABEL_PREFIX = 64;
    private static final MemorySize MAX_BUFFER = MemorySize.parse("1gb");
    private static final List<String> WRITE_MODES =
            List.of("STREAM_LOAD", "STREAM_LOAD_BATCH", "TVF");

    private SinkRules() {}

    /** Values that are wrong by themselves. */
    static void checkValues(OptionValues options) {
        checkWriteMode(options);
        options.bool(SinkOptions.ENABLE_DELETE);
        options.bool(SinkOptions.ENABLE_2PC);
        options.bool(SinkOptions.ENABLE_BATCH_MODE);
        options.bool(SinkOptions.IGNORE_UPDATE_BEFORE);
        options.bool(SinkOptions.IGNORE_COMMIT_ERROR);
        options.bool(SinkOptions.USE_CACHE);
        options.bool(SinkOptions.S3_PATH_STYLE_ACCESS);
        checkBuffers(options);
        options.integer(SinkOptions.MAX_RETRIES, 0, MAX);
        options.integer(SinkOptions.FLUSH_QUEUE_SIZE, 1, MAX);
        options.integer(SinkOptions.FLUSH_MAX_ROWS, 1, MAX);
        options.bytes(SinkOptions.FLUSH_MAX_BYTES, MemorySize.parse("64kb"));
        options.duration(SinkOptions.FLUSH_INTERVAL, Duration.ofMillis(100));
        options.duration(SinkOptions.PRECOMMIT_TIMEOUT, Duration.ofSeconds(60));
        options.duration(SinkOptions.CHECK_INTERVAL, Duration.ZERO);
        options.bytes(SinkOptions.REPLAY_BUFFER_SIZE, MemorySize.ZERO);
        if (options.has(SinkOptions.PARALLELISM)) {
            options.integer(SinkOptions.PARALLELISM, 1, MAX);
        }
        if (options.has(SinkOptions.COMPRESS_LEVEL)) {
            options.integer(SinkOptions.COMPRESS_LEVEL, 0, MAX);
        }
        options.oneOf(SinkOptions.S3_CLEANUP, List.of("none", "after-commit"));
        checkLabelPrefix(options);
        LoadProperties.given(options).forEach(LoadRules::checkValue);
    }

    /**
     * Combinations that a table to be written to must not have; refuses what is not built yet.
     *
     * @param encodes whether the connector spells the rows, and not a serializer of the user
     */
    public static void checkSink(OptionValues options, boolean encodes) {
        Map<String, String> properties = LoadProperties.given(options);
        String mode = options.oneOf(SinkOptions.WRITE_MODE, WRITE_MODES);
        checkTwoPhase(options, properties);
        checkCache(options);
        if (mode.equals("TVF")) {
            TvfRules.check(options, properties);
            throw InvalidOption.notSupportedYet(
                    "Writing through object storage",
                    SinkOptions.WRITE_MODE.key(),
                    mode,
                    "Use 'STREAM_LOAD', the default.");
        }
        LoadRules.checkLoad(options, properties);
        if (encodes) {
            CsvRules.check(options, properties);
        }
        boolean batch = options.bool(SinkOptions.ENABLE_BATCH_MODE);
        if (batch || mode.equals("STREAM_LOAD_BATCH")) {
            throw InvalidOption.notSupportedYet(
                    "Writing in batch mode",
                    batch ? SinkOptions.ENABLE_BATCH_MODE.key() : SinkOptions.WRITE_MODE.key(),
                    batch ? "true" : mode,
                    "Leave the option out to write in streaming mode, which makes rows visible"
                            + " with each checkpoint.");
        }
        warnOfIgnored(options, properties);
    }

    private static void checkWriteMode(OptionValues options) {
        String mode = options.text(SinkOptions.WRITE_MODE).orElse("");
        if (WRITE_MODES.stream().noneMatch(known -> sameMode(known, mode))) {
            throw options.invalid(
                    SinkOptions.WRITE_MODE,
                    (mode.equalsIgnoreCase("COPY")
                                    ? "'COPY' belongs to one vendor's cloud service; "
                                    : "")
                            + "allowed is 'STREAM_LOAD'; 'STREAM_LOAD_BATCH' and 'TVF' are not"
                            + " supported yet",
                    "Leave the option out.");
        }
    }

    private static boolean sameMode(String known, String mode) {
        return known.equalsIgnoreCase(mode.replace('-', '_'));
    }

    private static void checkBuffers(OptionValues options) {
        long size = options.bytes(SinkOptions.BUFFER_SIZE, MemorySize.parse("1kb"));
        if (size > MAX_BUFFER.getBytes()) {
            throw options.invalid(
                    SinkOptions.BUFFER_SIZE,
                    "allowed is a size of 1kb to 1gb",
                    "Some megabytes are enough for any network.");
        }
        options.integer(SinkOptions.BUFFER_COUNT, 2, MAX);
    }

    private static void checkLabelPrefix(OptionValues options) {
        String prefix = options.exact(SinkOptions.LABEL_PREFIX).orElse("");
        boolean legal = prefix.isBlank() || prefix.matches("[-_A-Za-z0-9:]+");
        if (!legal || prefix.length() > MAX_LABEL_PREFIX) {
            throw options.invalid(
                    SinkOptions.LABEL_PREFIX,
                    "allowed are 1 to "
                            + MAX_LABEL_PREFIX
                            + " characters of letters, digits, '-', '_' and ':'",
                    "Choose a shorter or plainer prefix.");
        }
    }

    private static void checkTwoPhase(OptionValues options, Map<String, String> properties) {
        boolean explicit =
                options.has(SinkOptions.ENABLE_2PC) && options.bool(SinkOptions.ENABLE_2PC);
        if (explicit && LoadProperties.isGroupCommit(properties)) {
            options.warn(
                    "Option 'sink.enable-2pc' = 'true' has no effect: group commit"
                            + " ('sink.properties.group_commit') has no two-phase commit. Rows"
                            + " become visible when Doris says so, at least once.");
            return;
        }
        if (explicit && options.text(SinkOptions.LABEL_PREFIX).isEmpty()) {
            throw options.invalid(
                    SinkOptions.ENABLE_2PC,
                    "an explicit two-phase commit needs option 'sink.label-prefix'",
                    "Set 'sink.label-prefix' to a text that no other job uses.");
        }
    }

    private static void checkCache(OptionValues options) {
        if (options.bool(SinkOptions.USE_CACHE) && options.has(SinkOptions.REPLAY_BUFFER_SIZE)) {
            throw options.invalid(
                    SinkOptions.USE_CACHE,
                    "'true' means no limit, and 'sink.replay-buffer-size' sets one",
                    "Remove 'sink.use-cache', the former name.");
        }
    }

    private static void warnOfIgnored(OptionValues options, Map<String, String> properties) {
        for (ConfigOption<?> option :
                List.of(
                        SinkOptions.FLUSH_QUEUE_SIZE,
                        SinkOptions.FLUSH_MAX_ROWS,
                        SinkOptions.FLUSH_MAX_BYTES,
                        SinkOptions.FLUSH_INTERVAL)) {
            if (options.has(option)) {
                options.warn(
                        String.format(
                                "Option '%s' has no effect in streaming mode: rows are sent all the"
                                        + " time and become visible with each checkpoint.",
                                option.key()));
            }
        }
        for (DorisOption option : SinkOptions.OPTIONS) {
            if (option.key().startsWith("sink.s3.") && options.has(option.option())) {
                options.warn(
                        String.format(
                                "Option '%s' has no effect without 'sink.write-mode' = 'TVF'.",
                                option.key()));
            }
        }
        if (options.has(SinkOptions.CHECK_INTERVAL)) {
            options.warn("Option 'sink.check-interval' has no effect.");
        }
        if (options.bool(CommonOptions.HTTP_UTF8_CHARSET)) {
            options.warn(
                    "Option 'sink.http-utf8-charset' has no effect: headers are always sent as"
                            + " UTF-8.");
        }
        warnOfTwoPhase(options, properties);
    }

    private static void warnOfTwoPhase(OptionValues options, Map<String, String> properties) {
        boolean group = LoadProperties.isGroupCommit(properties);
        if (group && options.text(SinkOptions.LABEL_PREFIX).isPresent()) {
            options.warn("Option 'sink.label-prefix' has no effect: group commit has no labels.");
        }
        if (!group && options.bool(SinkOptions.ENABLE_2PC)) {
            return;
        }
        for (ConfigOption<?> option :
                List.of(SinkOptions.IGNORE_COMMIT_ERROR, SinkOptions.PRECOMMIT_TIMEOUT)) {
            if (options.has(option)) {
                options.warn(
                        String.format(
                                "Option '%s' has no effect without two-phase commit.",
                                option.key()));
            }
        }
    }
}
