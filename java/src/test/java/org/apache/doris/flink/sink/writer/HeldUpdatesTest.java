package org.apache.doris.flink.sink.writer;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Test;

import java.util.Collection;
import java.util.stream.Collectors;

/** Rows that wait for what follows them. */
class HeldUpdatesTest {

    private static final RowType TYPE =
            RowType.of(new IntType(), new VarCharType(VarCharType.MAX_LENGTH), new IntType());

    private static GenericRowData row(Integer number, String text, Integer value) {
        return GenericRowData.ofKind(
                RowKind.UPDATE_BEFORE, number, StringData.fromString(text), value);
    }

    private static String texts(Collection<RowData> rows) {
        return rows.stream()
                .map(row -> row.getInt(0) + row.getString(1).toString() + row.getInt(2))
                .collect(Collectors.joining(" "));
    }

    @Test
    void onlyTheKeyDecidesWhatFollows() {
        HeldUpdates held = new HeldUpdates(TYPE, new int[] {1, 0}, 10);
        held.hold(row(1, "a", 1));
        held.hold(row(2, "a", 1));
        held.hold(row(1, "b", 1));
        held.followedBy(row(1, "a", 7));
        held.followedBy(row(3, "c", 1));
        assertThat(texts(held.release())).isEqualTo("2a1 1b1");
        assertThat(held.release()).isEmpty();
    }

    @Test
    void keysMayBeNull() {
        HeldUpdates held = new HeldUpdates(TYPE, new int[] {0}, 10);
        held.hold(row(null, "a", 1));
        held.followedBy(row(null, "b", 2));
        assertThat(held.release()).isEmpty();
    }

    /** Flink hands over one object again and again. */
    @Test
    void aRowIsCopied() {
        HeldUpdates held = new HeldUpdates(TYPE, new int[] {0}, 10);
        GenericRowData reused = row(1, "a", 1);
        held.hold(reused);
        reused.setField(0, 2);
        reused.setField(1, StringData.fromString("b"));
        held.hold(reused);
        reused.setField(0, 3);
        assertThat(texts(held.release())).isEqualTo("1a1 2b1");
    }

    @Test
    void theLongestWaitingRowGoesWhenThereAreTooMany() {
        HeldUpdates held = new HeldUpdates(TYPE, new int[] {0}, 2);
        assertThat(held.hold(row(1, "a", 1))).isNull();
        assertThat(held.hold(row(2, "a", 1))).isNull();
        // The second time it waits anew.
        assertThat(held.hold(row(1, "a", 2))).isNull();
        RowData longest = held.hold(row(3, "a", 1));
        assertThat(longest.getInt(0)).isEqualTo(2);
        assertThat(texts(held.release())).isEqualTo("1a2 3a1");
    }
}
