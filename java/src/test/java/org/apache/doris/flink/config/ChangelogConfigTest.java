package org.apache.doris.flink.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.config.option.OptionValues;
import org.apache.doris.flink.source.DorisBinlogIncrementType;
import org.apache.doris.flink.source.DorisChangelogIncrementType;
import org.apache.doris.flink.source.DorisSourceScanMode;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;

/** The options that follow changes, read into values. */
class ChangelogConfigTest {

    @Test
    void defaultsAreThoseOfTheDocumentation() {
        ChangelogConfig config = config();
        assertThat(config.scanMode()).isEqualTo(ScanMode.SNAPSHOT);
        assertThat(config.scanTimestamp()).isEmpty();
        assertThat(config.incrementType()).isEqualTo(IncrementType.DETAIL);
        assertThat(config.pollInterval()).isEqualTo(Duration.ofSeconds(10));
        assertThat(config.visibleWaitTimeout()).isEqualTo(Duration.ofMinutes(5));
        assertThat(config.offsetTable()).isEmpty();
        assertThat(config.consumerId()).isEmpty();
        assertThat(config.jdbcUrl()).isEmpty();
        assertThat(config.slices()).isEqualTo(SliceScheme.hash(1));
        assertThat(config.maxWindow()).isEmpty();
        assertThat(config.onExpired()).isEqualTo(ChangelogConfig.OnExpired.DORIS_DEFAULT);
        assertThat(config.changelogMode()).isEqualTo(ChangelogConfig.ChangeMode.ALL);
        assertThat(config.checkpointInterval()).isEmpty();
        assertThat(config.isInsertOnly()).isTrue();
    }

    @Test
    void valuesAreReadInAnySpelling() throws Exception {
        ChangelogConfig config =
                config(
                        "source.scan.mode",
                        " From_Timestamp ",
                        "source.scan.timestamp",
                        " 2026-10-09 10:00:00 ",
                        "source.changelog.increment-type",
                        "Min-Delta",
                        "source.changelog.poll-interval",
                        "1000",
                        "source.changelog.visible-wait-timeout",
                        "0s",
                        "source.changelog.offset-table",
                        " `ops`.`of.f` ",
                        "source.changelog.consumer-id",
                        "me",
                        "jdbc-url",
                        " jdbc:mysql://h:9030 ",
                        "source.changelog.slices",
                        "Partitions",
                        "source.changelog.max-window",
                        "1 min",
                        "source.changelog.on-expired",
                        "FAIL",
                        "source.changelog.changelog-mode",
                        "Upsert");
        ChangelogConfig travelled =
                InstantiationUtil.clone(config.withCheckpointInterval(OptionalLong.of(0)));
        for (ChangelogConfig read : new ChangelogConfig[] {config, travelled}) {
            assertThat(read.scanMode()).isEqualTo(ScanMode.FROM_TIMESTAMP);
            assertThat(read.scanTimestamp()).contains("2026-10-09 10:00:00");
            assertThat(read.incrementType()).isEqualTo(IncrementType.MIN_DELTA);
            assertThat(read.pollInterval()).isEqualTo(Duration.ofSeconds(1));
            assertThat(read.visibleWaitTimeout()).isZero();
            assertThat(read.offsetTable()).contains(new TableIdentifier("", "ops", "of.f"));
            assertThat(read.consumerId()).contains("me");
            assertThat(read.jdbcUrl()).contains("jdbc:mysql://h:9030");
            assertThat(read.slices()).isEqualTo(SliceScheme.PARTITIONS);
            assertThat(read.maxWindow()).contains(Duration.ofMinutes(1));
            assertThat(read.onExpired()).isEqualTo(ChangelogConfig.OnExpired.FAIL);
            assertThat(read.changelogMode()).isEqualTo(ChangelogConfig.ChangeMode.UPSERT);
            assertThat(read.isInsertOnly()).isFalse();
        }
        assertThat(config.checkpointInterval()).isEmpty();
        assertThat(travelled.checkpointInterval()).hasValue(0);
        assertThat(travelled.withCheckpointInterval(OptionalLong.empty()).checkpointInterval())
                .isEmpty();
    }

    @Test
    void insertsAloneComeFromThreeSettings() {
        assertThat(config("source.scan.mode", "latest").isInsertOnly()).isFalse();
        assertThat(
                        config(
                                        "source.scan.mode",
                                        "latest",
                                        "source.changelog.increment-type",
                                        "append_only")
                                .isInsertOnly())
                .isTrue();
        assertThat(
                        config(
                                        "source.scan.mode",
                                        "latest",
                                        "source.changelog.changelog-mode",
                                        "audit")
                                .isInsertOnly())
                .isTrue();
    }

    /** A leap day that does not exist, a second 60, an hour 24: no time of any zone. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "2026-02-30 00:00:00",
                "2025-02-29 00:00:00",
                "2026-01-01 24:00:00",
                "2026-01-01 00:00:60",
                "2026-01-01T00:00:00",
                "2026-01-01 00:00:00.5",
                "2026-01-01 00:00:00Z",
                "2026-01-01 00:00:00 +08:00",
                "2026-1-1 00:00:00",
                "2026-01-01 0:00:00",
                "2026-01-01",
                "1760000000000"
            })
    void aTimestampIsReadStrictly(String text) {
        assertThatThrownBy(() -> config("source.scan.timestamp", text))
                .isInstanceOf(ValidationException.class)
                .hasMessageContaining("'" + text + "'")
                .hasMessageContaining("'source.scan.timestamp'")
                .hasMessageContaining("yyyy-MM-dd HH:mm:ss");
    }

    @Test
    void aConsumerIdIsCountedInBytes() {
        assertThat(config("source.changelog.consumer-id", "ö".repeat(128)).consumerId())
                .contains("ö".repeat(128));
        assertThatThrownBy(() -> config("source.changelog.consumer-id", "ö".repeat(129)))
                .hasMessageContaining("these are 258 bytes")
                .hasMessageContaining("1 to 256 bytes");
        assertThatThrownBy(() -> config("source.changelog.consumer-id", "me "))
                .hasMessageContaining("blanks");
        assertThat(config("source.changelog.consumer-id", " ").consumerId()).isEmpty();
    }

    @Test
    void bothNamesOfTheIncrementTypeMeanTheSame() {
        for (DorisBinlogIncrementType type : DorisBinlogIncrementType.values()) {
            DorisChangelogIncrementType twin = DorisChangelogIncrementType.of(type);
            assertThat(twin.former()).isEqualTo(type);
            assertThat(twin.option()).isEqualTo(type.option());
            assertThat(DorisBinlogIncrementType.fromOption(" " + type.toSqlValue()))
                    .isEqualTo(type);
            assertThat(DorisChangelogIncrementType.fromOption(type.option().replace('_', '-')))
                    .isEqualTo(twin);
        }
        assertThatThrownBy(() -> DorisBinlogIncrementType.fromOption("all"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'all'")
                .hasMessageContaining("'append_only'");
        assertThatThrownBy(() -> DorisSourceScanMode.fromOption("newest"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'newest'")
                .hasMessageContaining("'from-timestamp'");
    }

    private static ChangelogConfig config(String... pairs) {
        Map<String, String> options = new HashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            options.put(pairs[i], pairs[i + 1]);
        }
        return ChangelogConfig.from(OptionValues.of(options));
    }
}
