package org.apache.doris.flink.source.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.config.IncrementType;
import org.apache.doris.flink.config.ScanColumn;
import org.apache.doris.flink.config.SliceScheme;
import org.apache.doris.flink.source.split.ChangelogPosition;
import org.apache.doris.flink.source.split.ChangelogWindow;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.IntType;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;

/** A window as it crosses the native boundary, its texts and the number of its columns. */
class WindowRequestTest {

    private static final ChangelogWindow WINDOW =
            new ChangelogWindow(
                    1_760_000_000_000L,
                    1_760_000_010_000L,
                    UtcText.ofBorder(1_760_000_000_000L),
                    UtcText.ofBorder(1_760_000_010_000L),
                    IncrementType.DETAIL);

    private static final long FINGERPRINT_OF_ID = 0xe059aeba7e15cba1L;

    @Test
    void theWholeTable() {
        assertThat(request(SliceScheme.hash(1), 0, null).toMap())
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of(
                                "start", "2025-10-09 08:53:20",
                                "end", "2025-10-09 08:53:30",
                                "start.millis", "1760000000000",
                                "end.millis", "1760000010000",
                                "increment-type", "detail",
                                "slice", "whole",
                                "verify", "true"));
    }

    @Test
    void aSliceByHashWithAPosition() {
        Map<String, String> map =
                request(
                                SliceScheme.hash(4),
                                3,
                                new ChangelogPosition(11, 12, 3, 14, 15, Long.MIN_VALUE))
                        .toMap();
        assertThat(map)
                .containsEntry("slice", "hash")
                .containsEntry("slice.index", "3")
                .containsEntry("slice.count", "4")
                .containsEntry("position.tso", "11")
                .containsEntry("position.lsn", "12")
                .containsEntry("position.operation", "3")
                .containsEntry("position.rows-at", "14")
                .containsEntry("position.rows-of-tso", "15")
                .containsEntry("position.hash-sum", "-9223372036854775808")
                .hasSize(15);
    }

    @Test
    void aPartition() {
        assertThat(request(SliceScheme.PARTITIONS, 10045, null).toMap())
                .containsEntry("slice", "partition")
                .containsEntry("slice.partition", "10045")
                .hasSize(8);
    }

    @Test
    void bordersAreWholeSecondsInUtc() {
        assertThat(UtcText.ofBorder(0)).isEqualTo("1970-01-01 00:00:00");
        assertThat(UtcText.ofBorder(253_402_300_799_000L)).isEqualTo("9999-12-31 23:59:59");
        assertThatThrownBy(() -> UtcText.ofBorder(1_001))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** It is in checkpoints: another number would read rows again without need. */
    @Test
    void theFingerprintOfAListOfColumnsNeverChanges() {
        ScanColumn id = new ScanColumn(List.of("id"), new IntType());
        ScanColumn wide = new ScanColumn(List.of("id"), new BigIntType());
        ScanColumn nested = new ScanColumn(List.of("a", "b"), new IntType());
        ScanColumn dotted = new ScanColumn(List.of("a.b"), new IntType());
        assertThat(ColumnFingerprint.of(List.of())).isEqualTo(0xcbf29ce484222325L);
        assertThat(ColumnFingerprint.of(List.of(id))).isEqualTo(FINGERPRINT_OF_ID);
        assertThat(
                        List.of(
                                ColumnFingerprint.of(List.of(id)),
                                ColumnFingerprint.of(List.of(wide)),
                                ColumnFingerprint.of(List.of(nested)),
                                ColumnFingerprint.of(List.of(dotted)),
                                ColumnFingerprint.of(List.of(id, nested)),
                                ColumnFingerprint.of(List.of(nested, id))))
                .doesNotHaveDuplicates();
    }

    private static WindowRequest request(
            SliceScheme scheme, long slice, ChangelogPosition position) {
        return new WindowRequest(WINDOW, scheme, slice, position, true);
    }
}
