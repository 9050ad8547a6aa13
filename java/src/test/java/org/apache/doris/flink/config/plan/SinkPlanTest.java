package org.apache.doris.flink.config.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.config.WriteConfig;
import org.apache.doris.flink.table.Tables;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.types.logical.RowType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Every rule on writing that holds at planning, by what a user writes and what he reads then. */
class SinkPlanTest {

    @Test
    void defaultsAreThoseOfTheDocumentation() {
        WriteConfig write = plan().config().write();
        assertThat(write.labelPrefix()).isEmpty();
        assertThat(write.twoPhase()).isTrue();
        assertThat(write.groupCommit()).isFalse();
        assertThat(write.enableDelete()).isTrue();
        assertThat(write.sent()).containsEntry("auto-redirect", "true");
        assertThat(write.sent()).containsEntry("sink.max-retries", "3");
        assertThat(write.bufferSize()).isEqualTo(1 << 20);
        assertThat(write.sent()).containsEntry("sink.buffer-count", "3");
        assertThat(write.sent()).containsEntry("sink.replay-buffer-size", "67108864");
        assertThat(write.sent()).containsEntry("sink.compress-level", "-1");
        assertThat(write.ignoreUpdateBefore()).isTrue();
        assertThat(write.ignoreCommitError()).isFalse();
        assertThat(write.precommitTimeout()).isEqualTo(Duration.ofHours(1));
        assertThat(write.userTimeout()).isEmpty();
        assertThat(write.properties()).isEqualTo(Map.of("format", "csv", "compress_type", "gz"));
        assertThat(plan().parallelism()).isNull();
        assertThat(plan().warnings()).isEmpty();
    }

    @Test
    void everyValueArrives() {
        SinkPlan plan =
                plan(
                        "sink.label-prefix",
                        "job:1",
                        "sink.enable-2pc",
                        "FALSE",
                        "sink.enable-delete",
                        "false",
                        "auto-redirect",
                        "false",
                        "sink.max-retries",
                        "0",
                        "sink.buffer-size",
                        "2mb",
                        "sink.buffer-count",
                        "2",
                        "sink.replay-buffer-size",
                        "0",
                        "sink.compress-level",
                        "9",
                        "sink.ignore.update-before",
                        "false",
                        "sink.parallelism",
                        "4",
                        "sink.properties.Format",
                        " JSON ",
                        "sink.properties.compress_type",
                        "ZSTD",
                        "sink.properties.TIMEOUT",
                        " 900",
                        "sink.properties.columns",
                        "id, name",
                        "sink.properties.max_filter_ratio",
                        "0.1");
        WriteConfig write = plan.config().write();
        assertThat(plan.warnings()).isEmpty();
        assertThat(plan.parallelism()).isEqualTo(4);
        assertThat(write.labelPrefix()).contains("job:1");
        assertThat(write.twoPhase()).isFalse();
        assertThat(write.enableDelete()).isFalse();
        assertThat(write.sent()).containsEntry("auto-redirect", "false");
        assertThat(write.sent()).containsEntry("sink.max-retries", "0");
        assertThat(write.bufferSize()).isEqualTo(2 << 20);
        assertThat(write.sent()).containsEntry("sink.buffer-count", "2");
        assertThat(write.sent()).containsEntry("sink.replay-buffer-size", "0");
        assertThat(write.sent()).containsEntry("sink.compress-level", "9");
        assertThat(write.ignoreUpdateBefore()).isFalse();
        assertThat(write.userTimeout()).hasValue(900);
        assertThat(write.properties())
                .isEqualTo(
                        Map.of(
                                "format",
                                "json",
                                "compress_type",
                                "zstd",
                                "timeout",
                                " 900",
                                "columns",
                                "id, name",
                                "max_filter_ratio",
                                "0.1",
                                "read_json_by_line",
                                "true"));
    }

    @Test
    void aPrefixIsDrawnOncePerSink() {
        SinkPlan plan = plan();
        assertThat(plan.config().isPrefixDrawn()).isTrue();
        assertThat(plan.config().labelPrefix())
                .matches("flink_[0-9a-f]{16}")
                .isEqualTo(plan.config().labelPrefix())
                .isNotEqualTo(plan().config().labelPrefix());
        assertThat(plan("sink.label-prefix", "p").config().isPrefixDrawn()).isFalse();
        assertThat(plan("sink.label-prefix", " ").config().isPrefixDrawn()).isTrue();
    }

    @Test
    void aCacheWithoutLimitIsTheFormerNameOfAReplayBufferWithoutLimit() {
        assertThat(plan("sink.use-cache", "true").config().write().sent())
                .containsEntry("sink.replay-buffer-size", "-1");
    }

    @ParameterizedTest
    @CsvSource({"sync_mode", "ASYNC_MODE"})
    void groupCommitSwitchesTheTwoPhaseCommitOff(String mode) {
        WriteConfig write = plan("sink.properties.group_commit", mode).config().write();
        assertThat(write.groupCommit()).isTrue();
        assertThat(write.twoPhase()).isFalse();
        assertThat(write.properties()).containsEntry("group_commit", mode);
    }

    @Test
    void noGroupCommitIsAsGoodAsNone() {
        WriteConfig write = plan("sink.properties.group_commit", "OFF_MODE").config().write();
        assertThat(write.groupCommit()).isFalse();
        assertThat(write.twoPhase()).isTrue();
        assertThat(write.properties()).doesNotContainKey("group_commit");
    }

    /** Definitions made for the official connector hold both. */
    @Test
    void groupCommitBesideAnExplicitTwoPhaseCommitRunsWithoutItAndSaysSo() {
        for (String prefix : new String[] {null, " "}) {
            SinkPlan plan =
                    plan(
                            "sink.enable-2pc",
                            "true",
                            "sink.label-prefix",
                            prefix,
                            "sink.properties.group_commit",
                            "Sync_Mode");
            assertThat(plan.config().write().twoPhase()).isFalse();
            assertThat(plan.config().write().groupCommit()).isTrue();
            assertThat(plan.warnings())
                    .containsExactly(
                            "Option 'sink.enable-2pc' = 'true' has no effect: group commit"
                                + " ('sink.properties.group_commit') has no two-phase commit. Rows"
                                + " become visible when Doris says so, at least once.");
        }
    }

    @Test
    void quotesThatOlderServersWouldLeaveAreWarnedOf() {
        String quoted = "sink.properties.enclose";
        assertThat(plan(quoted, "\"").warnings()).isEmpty();
        assertThat(plan(quoted, "\"", "sink.properties.trim_double_quotes", "true").warnings())
                .isEmpty();
        assertThat(plan(quoted, "\"", "sink.properties.trim_double_quotes", "false").warnings())
                .singleElement()
                .asString()
                .contains("'sink.properties.trim_double_quotes' = 'false'", "leave the quotes");
    }

    /** A user's serializer spells rows as it likes. */
    @Test
    void rulesOnTheSpellingOfRowsHoldForRowsAlone() {
        Map<String, String> options = Tables.options("sink.properties.trim_double_quotes", "true");
        assertThat(SinkPlan.ofBytes(options, "UTC").config().write().properties())
                .containsEntry("trim_double_quotes", "true");
        options.put("sink.properties.column_separator", "\\x5c");
        assertThat(SinkPlan.ofBytes(options, "UTC").warnings()).isEmpty();
    }

    @Test
    void foreignKeysOfATableThatIsWrittenToAreRefusedTogether() {
        assertThatThrownBy(
                        () ->
                                plan(
                                        "sink.batch.size",
                                        "100",
                                        "sink.batch.interval",
                                        "1s",
                                        "load-url",
                                        "h:1",
                                        "database-name",
                                        "d"))
                .isInstanceOf(ValidationException.class)
                .hasMessage(
                        "Option 'database-name' is one of other connectors: use 'table.identifier'"
                            + " = 'database.table'.\n"
                            + "Option 'load-url' is one of other connectors: use 'fenodes'.\n"
                            + "Option 'sink.batch.interval' is one of older releases: remove it:"
                            + " rows are sent all the time and become visible with each checkpoint,"
                            + " so set 'execution.checkpointing.interval' of the job, or use"
                            + " 'sink.buffer-flush.interval' with 'sink.enable.batch-mode' ="
                            + " 'true'.\n"
                            + "Option 'sink.batch.size' is one of older releases: remove it: rows"
                            + " are sent all the time and become visible with each checkpoint, so"
                            + " set 'execution.checkpointing.interval' of the job, or use"
                            + " 'sink.buffer-flush.max-rows' with 'sink.enable.batch-mode' ="
                            + " 'true'.");
    }

    /** Keys and values separated by {@code ;}, and the whole message. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                // 4, 15
                "table.identifier | hive.db.t | Invalid value 'hive.db.t' for option"
                        + " 'table.identifier': a table of an external catalog can only be read, so"
                        + " a name of three parts is not allowed here. Name a table of Doris as"
                        + " 'database.table'.",
                "sink.write-mode | copy | Invalid value 'copy' for option 'sink.write-mode': 'COPY'"
                        + " belongs to one vendor's cloud service; allowed are 'STREAM_LOAD' and"
                        + " 'STREAM_LOAD_BATCH'; 'TVF' is not supported yet. Leave the option out.",
                "sink.write-mode | PUT | Invalid value 'PUT' for option 'sink.write-mode': allowed"
                        + " are 'STREAM_LOAD' and 'STREAM_LOAD_BATCH'; 'TVF' is not supported yet."
                        + " Leave the option out.",
                // 17, 18, 19
                "sink.enable-2pc | true | Invalid value 'true' for option 'sink.enable-2pc': an"
                        + " explicit two-phase commit needs option 'sink.label-prefix'. Set"
                        + " 'sink.label-prefix' to a text that no other job uses.",
                "sink.label-prefix | a b | Invalid value 'a b' for option 'sink.label-prefix':"
                        + " allowed are 1 to 64 characters of letters, digits, '-', '_' and ':'."
                        + " Choose a shorter or plainer prefix.",
                // 20
                "sink.properties.partial_columns | true | Invalid value 'true' for option"
                        + " 'sink.properties.partial_columns': a partial update needs option"
                        + " 'sink.properties.columns'. List the columns to be written there.",
                "sink.properties.unique_key_update_mode;sink.properties.columns"
                        + " | UPDATE_FLEXIBLE_COLUMNS;a | Invalid value 'UPDATE_FLEXIBLE_COLUMNS'"
                        + " for option 'sink.properties.unique_key_update_mode': not allowed"
                        + " together with 'sink.properties.columns'. Remove one of the two.",
                "sink.properties.unique_key_update_mode | update_flexible_columns | Invalid value"
                        + " 'update_flexible_columns' for option"
                        + " 'sink.properties.unique_key_update_mode': only JSON rows can leave"
                        + " columns out, and 'sink.properties.format' is 'csv'. Set"
                        + " 'sink.properties.format' to 'json'.",
                "sink.properties.group_commit;sink.properties.partitions | async_mode;p1 | Invalid"
                        + " value 'async_mode' for option 'sink.properties.group_commit': Doris"
                        + " does not allow it together with 'sink.properties.partitions'. Remove"
                        + " one of the two.",
                // 21
                "sink.properties.label | x | Invalid value 'x' for option 'sink.properties.label':"
                        + " the connector sets this parameter itself. Remove the option.",
                "sink.properties.Transfer-Encoding | chunked | Invalid value 'chunked' for option"
                        + " 'sink.properties.transfer-encoding': the connector sets this parameter"
                        + " itself. Remove the option.",
                "sink.properties.where | \"a = 1\nX: y\" | Invalid value 'a = 1?X: y' for option"
                        + " 'sink.properties.where': line breaks and control characters are not"
                        + " allowed. Write a delimiter as '\\n' or '\\x01', and anything else"
                        + " without them.",
                // 8.2; CSV-5
                "sink.properties.format | parquet | Invalid value 'parquet' for option"
                        + " 'sink.properties.format': allowed are 'csv', 'json', 'arrow'.",
                "sink.properties.format;sink.properties.strip_outer_array | json;TRUE | Invalid"
                        + " value 'TRUE' for option 'sink.properties.strip_outer_array': not"
                        + " allowed with 'sink.properties.format' = 'json': rows are sent one a"
                        + " line, not as an array. Remove the option.",
                "sink.properties.compress_type | lzo | Invalid value 'lzo' for option"
                        + " 'sink.properties.compress_type': allowed are 'gz', 'lz4', 'zstd', ''."
                        + " An empty value switches compression off.",
                "sink.compress-level | 13 | Invalid value '13' for option 'sink.compress-level':"
                        + " the levels of 'gz' are 1 to 12. Leave the option out for the default.",
                "sink.compress-level | 0 | Invalid value '0' for option 'sink.compress-level': the"
                        + " levels of 'gz' are 1 to 12. Leave the option out for the default.",
                "sink.compress-level;sink.properties.compress_type | 23;zstd | Invalid value '23'"
                        + " for option 'sink.compress-level': the levels of 'zstd' are 1 to 22."
                        + " Leave the option out for the default.",
                "sink.compress-level;sink.properties.compress_type | 1;lz4 | Invalid value '1' for"
                        + " option 'sink.compress-level': 'lz4' has no levels. Remove the option,"
                        + " or set 'sink.properties.compress_type' to 'gz' or 'zstd'.",
                "sink.compress-level;sink.properties.compress_type | 1;'' | Invalid value '1' for"
                        + " option 'sink.compress-level': compression is off. Remove the option,"
                        + " or set 'sink.properties.compress_type' to 'gz' or 'zstd'.",
                "sink.properties.enclose | '\"\"' | Invalid value '\"\"' for option"
                        + " 'sink.properties.enclose': allowed is a single ASCII character.",
                "sink.properties.escape | '' | Invalid value '' for option"
                        + " 'sink.properties.escape': allowed is a single ASCII character.",
                "sink.properties.column_separator | '' | Invalid value '' for option"
                        + " 'sink.properties.column_separator': a delimiter has at least one"
                        + " character.",
                "sink.properties.column_separator | \\x1 | Invalid value '\\x1' for option"
                        + " 'sink.properties.column_separator': '\\x' is followed by two"
                        + " hexadecimal digits per byte.",
                "sink.properties.column_separator | \\x0A | Invalid value '\\x0A' for option"
                        + " 'sink.properties.column_separator': columns and lines cannot end in the"
                        + " same delimiter. Change one of 'sink.properties.column_separator' and"
                        + " 'sink.properties.line_delimiter'.",
                "sink.properties.column_separator | \\x5c | Invalid value '\\x5c' for option"
                        + " 'sink.properties.column_separator': it must not be a part of \\N, the"
                        + " mark of NULL. Choose another one.",
                "sink.properties.line_delimiter | N | Invalid value 'N' for option"
                        + " 'sink.properties.line_delimiter': it must not be a part of \\N, the"
                        + " mark of NULL. Choose another one.",
                "sink.properties.column_separator | a\\nb | Invalid value 'a\\nb' for option"
                        + " 'sink.properties.column_separator': it holds the line delimiter, at"
                        + " which each row would end. Change one of"
                        + " 'sink.properties.column_separator' and"
                        + " 'sink.properties.line_delimiter'.",
                "sink.properties.column_separator;sink.properties.line_delimiter;"
                        + "sink.properties.enclose | O;EOL;^ | Invalid value 'EOL' for option"
                        + " 'sink.properties.line_delimiter': with 'sink.properties.enclose' it"
                        + " must not hold the column separator, which Doris would find in it."
                        + " Change one of 'sink.properties.column_separator' and"
                        + " 'sink.properties.line_delimiter'.",
                "sink.properties.enclose;sink.properties.column_separator | ^;#^ | Invalid value"
                        + " '#^' for option 'sink.properties.column_separator': it holds the"
                        + " enclosing character ^. Choose another one.",
                "sink.properties.enclose;sink.properties.column_separator | ^;#\\ | Invalid value"
                        + " '#\\' for option 'sink.properties.column_separator': it holds the"
                        + " escape character \\. Choose another one.",
                "sink.properties.enclose | \\ | Invalid value '\\' for option"
                        + " 'sink.properties.enclose': it must not be a part of \\N, the mark of"
                        + " NULL. Set it to '\"'.",
                "sink.properties.enclose;sink.properties.escape | ^;^ | Invalid value '^' for"
                        + " option 'sink.properties.escape': 'sink.properties.enclose' is the same"
                        + " character. Leave the option out for a backslash.",
                "sink.properties.format;sink.properties.line_delimiter | json;}x | Invalid value"
                        + " '}x' for option 'sink.properties.line_delimiter': it may occur inside a"
                        + " JSON document; allowed is one that begins with a control character or a"
                        + " punctuation mark that JSON does not use. Leave the option out for a"
                        + " line break.",
                "sink.properties.trim_double_quotes | TRUE | Invalid value 'TRUE' for option"
                        + " 'sink.properties.trim_double_quotes': without"
                        + " 'sink.properties.enclose' = '\"' Doris would take off the quotes of"
                        + " texts that begin and end with one. Remove the option, or set"
                        + " 'sink.properties.enclose' to '\"'.",
                "sink.properties.trim_double_quotes;sink.properties.enclose | true;^ | Invalid"
                        + " value 'true' for option 'sink.properties.trim_double_quotes': without"
                        + " 'sink.properties.enclose' = '\"' Doris would take off the quotes of"
                        + " texts that begin and end with one. Remove the option, or set"
                        + " 'sink.properties.enclose' to '\"'.",
                "sink.properties.timeout | 259201 | Invalid value '259201' for option"
                        + " 'sink.properties.timeout': allowed is a whole number of seconds from 1"
                        + " to 259200.",
                "sink.properties.timeout | 10min | Invalid value '10min' for option"
                        + " 'sink.properties.timeout': allowed is a whole number of seconds from 1"
                        + " to 259200.",
                // 24, 25
                "sink.use-cache;sink.replay-buffer-size | true;1mb | Invalid value 'true' for"
                        + " option 'sink.use-cache': 'true' means no limit, and"
                        + " 'sink.replay-buffer-size' sets one. Remove 'sink.use-cache', the former"
                        + " name.",
                "sink.buffer-size | 3gb | Invalid value '3gb' for option 'sink.buffer-size':"
                        + " allowed is a size of 1kb to 1gb. Some megabytes are enough for any"
                        + " network.",
                "sink.buffer-size | 1023 | Invalid value '1023' for option 'sink.buffer-size':"
                        + " allowed is a size of 1024 bytes or more, such as '64mb' (a bare number"
                        + " means bytes).",
                "sink.buffer-count | 1 | Invalid value '1' for option 'sink.buffer-count': allowed"
                        + " is a whole number of 2 or more.",
                "sink.max-retries | -1 | Invalid value '-1' for option 'sink.max-retries': allowed"
                        + " is a whole number of 0 or more.",
                "sink.parallelism | 0 | Invalid value '0' for option 'sink.parallelism': allowed is"
                        + " a whole number of 1 or more.",
                "sink.flush.queue-size | 0 | Invalid value '0' for option 'sink.flush.queue-size':"
                        + " allowed is a whole number of 1 or more.",
                "sink.buffer-flush.max-rows | 0 | Invalid value '0' for option"
                        + " 'sink.buffer-flush.max-rows': allowed is a whole number of 1 or more.",
                "sink.buffer-flush.max-bytes | 65535 | Invalid value '65535' for option"
                        + " 'sink.buffer-flush.max-bytes': allowed is a size of 64.000kb (65536"
                        + " bytes) or more, such as '64mb' (a bare number means bytes).",
                "sink.buffer-flush.interval | 99 | Invalid value '99' for option"
                        + " 'sink.buffer-flush.interval': allowed is a duration of 100ms or more,"
                        + " such as '10s', '5 min', '500ms' (a bare number means milliseconds).",
                // 16, 17 in batch mode
                "sink.write-mode;sink.enable.batch-mode | TVF;true | Invalid value 'true' for"
                        + " option 'sink.enable.batch-mode': not allowed with 'sink.write-mode' ="
                        + " 'TVF'. Change one of the two.",
                "sink.enable.batch-mode;sink.enable-2pc | true;true | Invalid value 'true' for"
                        + " option 'sink.enable-2pc': an explicit two-phase commit needs option"
                        + " 'sink.label-prefix'. Set 'sink.label-prefix' to a text that no other"
                        + " job uses.",
                // 38
                "doris.enable.tls | true | TLS is not supported yet: option 'doris.enable.tls' has"
                        + " the value 'true'. Leave the option out and use the plain ports of the"
                        + " cluster in a trusted network.",
            })
    void isRefused(String keys, String values, String message) {
        assertThatThrownBy(() -> plan(Tables.pairs(keys, values)))
                .isInstanceOf(ValidationException.class)
                .hasMessage(message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "sink.properties.column_separator | ', '",
                "sink.properties.column_separator | \\x01",
                "sink.properties.column_separator;sink.properties.line_delimiter | \\x01;\\x02",
                "sink.properties.escape_delimiters | true",
                "sink.properties.compress_type | ''",
                "sink.compress-level;sink.properties.compress_type | 22;zstd",
                "sink.properties.enclose;sink.properties.escape | ^;\\",
                "sink.properties.columns | id, name, __DORIS_DELETE_SIGN__",
                "sink.properties.columns | id,name,name=to_bitmap(name)",
                "sink.properties.format;sink.properties.unique_key_update_mode"
                        + " | json;UPDATE_FLEXIBLE_COLUMNS",
                "sink.properties.format;sink.properties.partial_columns;sink.properties.columns"
                        + " | json;true;id,name",
                "sink.properties.timeout | 259200",
                "benodes | be1:8040, be2:8040",
                "sink.enable-2pc;sink.label-prefix | true;p",
                "sink.properties.column_separator;sink.properties.line_delimiter | xE;EOL",
                "sink.properties.column_separator;sink.properties.line_delimiter | O;EOL",
                "sink.properties.column_separator | \\N#",
                "sink.properties.format;sink.properties.line_delimiter | json;#x",
                "sink.properties.enclose;sink.properties.trim_double_quotes | ^;false",
                "sink.write-mode;sink.enable-2pc | stream-load-batch;false",
                "sink.write-mode;sink.buffer-flush.max-rows | STREAM_LOAD_BATCH;10000",
                "sink.write-mode;sink.buffer-flush.interval | STREAM_LOAD_BATCH;1s",
                "sink.write-mode;sink.buffer-flush.max-bytes | STREAM_LOAD_BATCH;64kb",
                "sink.write-mode;sink.flush.queue-size | STREAM_LOAD_BATCH;1",
            })
    void isAcceptedWithoutAWord(String keys, String values) {
        assertThat(plan(Tables.pairs(keys, values)).warnings()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "sink.buffer-flush.interval | 1s | Option 'sink.buffer-flush.interval' has no"
                        + " effect in streaming mode: rows are sent all the time and become visible"
                        + " with each checkpoint.",
                "sink.flush.queue-size | 2 | Option 'sink.flush.queue-size' has no effect in"
                        + " streaming mode: rows are sent all the time and become visible with each"
                        + " checkpoint.",
                "sink.s3.bucket | b | Option 'sink.s3.bucket' has no effect without"
                        + " 'sink.write-mode' = 'TVF'.",
                "sink.check-interval | 10s | Option 'sink.check-interval' has no effect.",
                "sink.http-utf8-charset | true | Option 'sink.http-utf8-charset' has no effect:"
                        + " headers are always sent as UTF-8.",
                "sink.label-prefix;sink.properties.group_commit | p;sync_mode | Option"
                        + " 'sink.label-prefix' has no effect: group commit has no labels.",
                "sink.precommit-timeout;sink.enable-2pc | 1h;false | Option"
                        + " 'sink.precommit-timeout' has no effect without two-phase commit.",
                "sink.properties.format;sink.properties.read_json_by_line | json;false | Option"
                        + " 'sink.properties.read_json_by_line' has no effect: rows are always sent"
                        + " one a line, so 'true' is sent.",
                "sink.properties.format;sink.properties.enclose | json;^ | Option"
                        + " 'sink.properties.enclose' has no effect with 'sink.properties.format' ="
                        + " 'json'.",
                "sink.properties.format;sink.properties.line_delimiter | arrow;\\n | Option"
                        + " 'sink.properties.line_delimiter' has no effect with"
                        + " 'sink.properties.format' = 'arrow'.",
                "sink.properties.columns | name,id | Option 'sink.properties.columns' = 'name,id'"
                        + " lists the columns in another order than the table declares them (id,"
                        + " name). With CSV it names the fields by their place, so values go into"
                        + " other columns than those of their names.",
                "sink.enable.batch-mode;sink.enable-2pc;sink.label-prefix | true;true;p | Option"
                        + " 'sink.enable-2pc' = 'true' has no effect in batch mode: rows become"
                        + " visible after each load, at least once.",
                "sink.write-mode;sink.buffer-count | STREAM_LOAD_BATCH;4 | Option"
                        + " 'sink.buffer-count' has no effect in batch mode: memory is bounded by"
                        + " 'sink.buffer-flush.max-bytes' and 'sink.flush.queue-size', and each"
                        + " load can be sent again.",
                "sink.write-mode;sink.use-cache | STREAM_LOAD_BATCH;true | Option 'sink.use-cache'"
                        + " has no effect in batch mode: memory is bounded by"
                        + " 'sink.buffer-flush.max-bytes' and 'sink.flush.queue-size', and each"
                        + " load can be sent again.",
                "sink.write-mode;sink.ignore.commit-error | STREAM_LOAD_BATCH;true | Option"
                        + " 'sink.ignore.commit-error' has no effect without two-phase commit.",
                // BATCH-9, BATCH-10
                "sink.write-mode;sink.buffer-flush.max-rows | STREAM_LOAD_BATCH;9999 | Option"
                        + " 'sink.buffer-flush.max-rows' is '9999': below 10000 Doris gets many"
                        + " tiny loads, which it merges with great effort; it may refuse further"
                        + " ones (-235, too many versions).",
                "sink.write-mode;sink.buffer-flush.interval | STREAM_LOAD_BATCH;999ms | Option"
                        + " 'sink.buffer-flush.interval' is '999ms': below 1 s Doris gets many tiny"
                        + " loads, which it merges with great effort; it may refuse further ones"
                        + " (-235, too many versions).",
                // USE-8
                "sink.properties.column | id | Option 'sink.properties.column' is sent as it is,"
                        + " but this version does not know such a parameter of Stream Load. The"
                        + " nearest known one is 'columns'.",
            })
    void whatMayMisleadIsSaidOnce(String keys, String values, String warning) {
        assertThat(plan(Tables.pairs(keys, values)).warnings()).containsExactly(warning);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "sink.enable.batch-mode | true | true",
                "sink.write-mode | stream-load-batch | true",
                "sink.enable.batch-mode;sink.write-mode | true;STREAM_LOAD | true",
                "sink.enable.batch-mode;sink.write-mode | false;STREAM_LOAD_BATCH | true",
                "sink.enable.batch-mode;sink.write-mode | false;STREAM_LOAD | false",
            })
    void batchModeHasTwoSpellings(String keys, String values, boolean batch) {
        WriteConfig write = plan(Tables.pairs(keys, values)).config().write();
        assertThat(write.batch()).isEqualTo(batch);
        assertThat(write.twoPhase()).isEqualTo(!batch);
    }

    @Test
    void aLoadOfBatchModeHasSeveralBuffers() {
        String mode = "sink.write-mode";
        WriteConfig small =
                plan(mode, "STREAM_LOAD_BATCH", "sink.buffer-flush.max-bytes", "64kb")
                        .config()
                        .write();
        assertThat(small.bufferSize()).isEqualTo(16 << 10);
        WriteConfig usual = plan(mode, "STREAM_LOAD_BATCH").config().write();
        assertThat(usual.bufferSize()).isEqualTo(1 << 20);
        assertThat(usual.batchRows()).isEqualTo(500_000);
        assertThat(usual.batchInterval()).isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void namesThatDifferInCaseAreOneColumn() {
        assertThatThrownBy(() -> plan(row("ID", "id")))
                .isInstanceOf(ValidationException.class)
                .hasMessage(
                        "Table test.student declares columns `ID` and `id`, which are one column in"
                            + " Doris: names are the same there in any case. Remove or rename one"
                            + " of the two.");
    }

    @Test
    void aDeleteSignOfTheUserNeedsDeletesOff() {
        RowType declared = row("id", "__DORIS_DELETE_SIGN__");
        assertThatThrownBy(() -> plan(declared))
                .isInstanceOf(ValidationException.class)
                .hasMessage(
                        "Table test.student declares column `__DORIS_DELETE_SIGN__`, which the sink"
                            + " writes by itself, from the kind of each row. Set option"
                            + " 'sink.enable-delete' to 'false' to write it as an ordinary column,"
                            + " or leave the column out.");
        assertThat(plan(declared, "sink.enable-delete", "false").config().declared())
                .contains(declared);
    }

    @Test
    void columnsThatDorisCannotTakeAreNamed() {
        RowType declared =
                (RowType)
                        DataTypes.ROW(
                                        DataTypes.FIELD("id", DataTypes.INT()),
                                        DataTypes.FIELD("n", DataTypes.NULL()),
                                        DataTypes.FIELD("t", DataTypes.TIMESTAMP_WITH_TIME_ZONE(3)))
                                .getLogicalType();
        assertThatThrownBy(() -> plan(declared))
                .isInstanceOf(ValidationException.class)
                .hasMessage(
                        "Table test.student declares columns of types that cannot be written to"
                            + " Doris: `n` NULL (Doris has no such type); `t` TIMESTAMP(3) WITH"
                            + " TIME ZONE (use TIMESTAMP_LTZ). Declare another type and convert the"
                            + " value in the query, for example with CAST(... AS STRING), or leave"
                            + " the columns out.");
    }

    @Test
    void aSinkOfBytesMayLeaveTheTableToItsRecords() {
        Map<String, String> options = Tables.options("table.identifier", null);
        assertThat(SinkPlan.ofBytes(options, "UTC").config().connection().hasTable()).isFalse();
        assertThat(SinkPlan.ofBytes(options, "UTC").config().declared()).isEmpty();
        options.put("table.identifier", " ");
        assertThat(SinkPlan.ofBytes(options, "UTC").config().connection().hasTable()).isFalse();
        options.put("table.identifier", "student");
        assertThatThrownBy(() -> SinkPlan.ofBytes(options, "UTC"))
                .hasMessageStartingWith("Invalid value 'student' for option 'table.identifier'");
    }

    private static SinkPlan plan(String... pairs) {
        return plan(row("id", "name"), pairs);
    }

    private static SinkPlan plan(RowType declared, String... pairs) {
        return SinkPlan.ofRows(Tables.options(pairs), declared, "Asia/Shanghai");
    }

    private static RowType row(String... names) {
        return (RowType)
                DataTypes.ROW(
                                List.of(names).stream()
                                        .map(name -> DataTypes.FIELD(name, DataTypes.STRING()))
                                        .toArray(DataTypes.Field[]::new))
                        .getLogicalType();
    }
}
