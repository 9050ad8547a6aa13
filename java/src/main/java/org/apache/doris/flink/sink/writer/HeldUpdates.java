package org.apache.doris.flink.sink.writer;

import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.typeutils.InternalSerializers;
import org.apache.flink.table.types.logical.RowType;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Rows of the kind {@code -U} of a load that writes a part of the columns. Flink sends a {@code -U}
 * both before the {@code +U} of its key and as the only sign that a row is gone. Deleting the row
 * is right for the latter only: the {@code +U} would bring it back without the columns that the
 * load does not write. So a {@code -U} waits for a row of its key, and deletes when there is none
 * before the checkpoint; where none comes, as in batch mode without checkpoints, when it has waited
 * for a while.
 *
 * <p>What bounds it: at most {@link #MOST} keys wait. A {@code +U} follows its {@code -U} among the
 * rows of one sender, and rows of other senders may come in between; the longest waiting row is
 * taken for a delete when that many others came.
 */
final class HeldUpdates {

    /** Keys that wait at most, per subtask. */
    static final int MOST = 65_536;

    private final RowData.FieldGetter[] key;
    private final TypeSerializer<RowData> copies;
    private final int most;
    private final Map<List<Object>, RowData> held = new LinkedHashMap<>();

    /** What waited at the last {@link #releaseOld}. */
    private Map<List<Object>, RowData> before = Map.of();

    /**
     * @param keyFields positions of the columns that are the table's key
     * @param most keys that wait at most
     */
    HeldUpdates(RowType type, int[] keyFields, int most) {
        this.key =
                Arrays.stream(keyFields)
                        .mapToObj(i -> RowData.createFieldGetter(type.getTypeAt(i), i))
                        .toArray(RowData.FieldGetter[]::new);
        this.copies = InternalSerializers.create(type);
        this.most = most;
    }

    /**
     * Keeps a copy of a {@code -U}, in place of an earlier one of its key.
     *
     * @return the row that waited longest if there are too many now, to be deleted; else null
     */
    RowData hold(RowData row) {
        RowData copy = copies.copy(row);
        List<Object> keyOfCopy = keyOf(copy);
        held.remove(keyOfCopy);
        held.put(keyOfCopy, copy);
        if (held.size() <= most) {
            return null;
        }
        Iterator<RowData> oldest = held.values().iterator();
        RowData longest = oldest.next();
        oldest.remove();
        return longest;
    }

    /** A row of another kind came: what waits for its key is superseded. */
    void followedBy(RowData row) {
        if (!held.isEmpty()) {
            held.remove(keyOf(row));
        }
    }

    /** The rows that nothing followed, to be deleted; none waits afterwards. */
    Collection<RowData> release() {
        if (held.isEmpty()) {
            return List.of();
        }
        List<RowData> rows = new ArrayList<>(held.values());
        held.clear();
        return rows;
    }

    /** The rows that waited at the last call already, to be deleted; those wait no more. */
    Collection<RowData> releaseOld() {
        List<RowData> rows = new ArrayList<>();
        before.forEach(
                (key, row) -> {
                    // Another one of its key may have come: that one waits from then on.
                    if (held.get(key) == row) {
                        held.remove(key);
                        rows.add(row);
                    }
                });
        before = held.isEmpty() ? Map.of() : new LinkedHashMap<>(held);
        return rows;
    }

    private List<Object> keyOf(RowData row) {
        Object[] values = new Object[key.length];
        for (int i = 0; i < key.length; i++) {
            Object value = key[i].getFieldOrNull(row);
            values[i] = value instanceof byte[] ? ByteBuffer.wrap((byte[]) value) : value;
        }
        return Arrays.asList(values);
    }
}
