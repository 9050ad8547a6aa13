package org.apache.doris.flink.config.rule;

import org.apache.doris.flink.config.LoadProperties;
import org.apache.doris.flink.config.option.CommonOptions;
import org.apache.doris.flink.config.option.DorisOption;
import org.apache.doris.flink.config.option.InvalidOption;
import org.apache.doris.flink.config.option.OptionValues;
import org.apache.doris.flink.config.option.SinkOptions;
import org.apache.flink.annotation.Internal;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Rules on combinations of options of writing, which hold when a table is written to. {@link
 * LoadRules} has those on Stream Load parameters.
 */
@Internal
public final class SinkRules {

    /** Below it loads of a table are tiny. */
    private static final int FEW_ROWS = 10_000;

    /** See {@link #FEW_ROWS}. */
    private static final Duration SHORT_INTERVAL = Duration.ofSeconds(1);

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
        if (SinkOptions.isBatch(options)) {
            warnInBatchMode(options, properties);
        } else {
            warnInStreamingMode(options);
        }
        warnOfIgnored(options);
        warnOfTwoPhase(options, properties);
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

    private static void warnInBatchMode(OptionValues options, Map<String, String> properties) {
        if (options.get(SinkOptions.FLUSH_MAX_ROWS) < FEW_ROWS) {
            warnOfTinyLoads(options, SinkOptions.FLUSH_MAX_ROWS, String.valueOf(FEW_ROWS));
        }
        if (options.get(SinkOptions.FLUSH_INTERVAL).compareTo(SHORT_INTERVAL) < 0) {
            warnOfTinyLoads(options, SinkOptions.FLUSH_INTERVAL, "1 s");
        }
        for (DorisOption<?> option :
                List.of(
                        SinkOptions.BUFFER_SIZE,
                        SinkOptions.BUFFER_COUNT,
                        SinkOptions.USE_CACHE,
                        SinkOptions.REPLAY_BUFFER_SIZE)) {
            if (options.has(option)) {
                options.warn(
                        String.format(
                                "Option '%s' has no effect in batch mode: memory is bounded by"
                                    + " 'sink.buffer-flush.max-bytes' and 'sink.flush.queue-size',"
                                    + " and each load can be sent again.",
                                option.key()));
            }
        }
        // With group commit the same was said already.
        if (options.has(SinkOptions.ENABLE_2PC)
                && options.get(SinkOptions.ENABLE_2PC)
                && !LoadProperties.isGroupCommit(properties)) {
            options.warn(
                    "Option 'sink.enable-2pc' = 'true' has no effect in batch mode: rows become"
                            + " visible after each load, at least once.");
        }
    }

    private static void warnOfTinyLoads(OptionValues options, DorisOption<?> option, String least) {
        options.warn(
                String.format(
                        "Option '%s' is '%s': below %s Doris gets many tiny loads, which it merges"
                                + " with great effort; it may refuse further ones (-235, too many"
                                + " versions).",
                        option.key(), options.shown(option), least));
    }

    private static void warnInStreamingMode(OptionValues options) {
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
    }

    private static void warnOfIgnored(OptionValues options) {
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
    }

    private static void warnOfTwoPhase(OptionValues options, Map<String, String> properties) {
        boolean group = LoadProperties.isGroupCommit(properties);
        if (group && options.text(SinkOptions.LABEL_PREFIX).isPresent()) {
            options.warn("Option 'sink.label-prefix' has no effect: group commit has no labels.");
        }
        if (!group && !SinkOptions.isBatch(options) && options.get(SinkOptions.ENABLE_2PC)) {
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
