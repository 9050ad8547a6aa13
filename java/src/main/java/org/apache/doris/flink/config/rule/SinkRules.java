package org.apache.doris.flink.config.rule;

import org.apache.doris.flink.config.LoadProperties;
import org.apache.doris.flink.config.option.CommonOptions;
import org.apache.doris.flink.config.option.DorisOption;
import org.apache.doris.flink.config.option.InvalidOption;
import org.apache.doris.flink.config.option.OptionValues;
import org.apache.doris.flink.config.option.SinkOptions;
import org.apache.flink.annotation.Internal;

import java.util.List;
import java.util.Map;

/**
 * Rules on combinations of options of writing, which hold when a table is written to. {@link
 * LoadRules} has those on Stream Load parameters.
 */
@Internal
public final class SinkRules {

    private SinkRules() {}

    /**
     * Combinations that a table to be written to must not have; refuses what is not built yet.
     *
     * @param encodes whether the connector spells the rows, and not a serializer of the user
     */
    public static void checkSink(OptionValues options, boolean encodes) {
        Map<String, String> properties = LoadProperties.given(options);
        String mode = options.get(SinkOptions.WRITE_MODE);
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
        boolean batch = options.get(SinkOptions.ENABLE_BATCH_MODE);
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

    private static void checkTwoPhase(OptionValues options, Map<String, String> properties) {
        boolean explicit =
                options.has(SinkOptions.ENABLE_2PC) && options.get(SinkOptions.ENABLE_2PC);
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
        if (options.get(SinkOptions.USE_CACHE) && options.has(SinkOptions.REPLAY_BUFFER_SIZE)) {
            throw options.invalid(
                    SinkOptions.USE_CACHE,
                    "'true' means no limit, and 'sink.replay-buffer-size' sets one",
                    "Remove 'sink.use-cache', the former name.");
        }
    }

    private static void warnOfIgnored(OptionValues options, Map<String, String> properties) {
        for (DorisOption<?> option :
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
        for (DorisOption<?> option : SinkOptions.ofObjectStorage()) {
            if (options.has(option)) {
                options.warn(
                        String.format(
                                "Option '%s' has no effect without 'sink.write-mode' = 'TVF'.",
                                option.key()));
            }
        }
        if (options.has(SinkOptions.CHECK_INTERVAL)) {
            options.warn("Option 'sink.check-interval' has no effect.");
        }
        if (options.get(CommonOptions.HTTP_UTF8_CHARSET)) {
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
        if (!group && options.get(SinkOptions.ENABLE_2PC)) {
            return;
        }
        for (DorisOption<?> option :
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
