package org.apache.doris.flink.chaos.job;

import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.core.io.SimpleVersionedSerializer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** A partition and the position that is sent next. */
final class ChaosSplit implements SourceSplit {

    final int partition;
    long next;

    ChaosSplit(int partition, long next) {
        this.partition = partition;
        this.next = next;
    }

    @Override
    public String splitId() {
        return String.valueOf(partition);
    }

    /** Splits one after the other, twelve bytes each. */
    private static byte[] bytes(List<ChaosSplit> splits) {
        ByteBuffer bytes = ByteBuffer.allocate(splits.size() * 12);
        splits.forEach(split -> bytes.putInt(split.partition).putLong(split.next));
        return bytes.array();
    }

    private static List<ChaosSplit> splits(byte[] serialized) {
        ByteBuffer bytes = ByteBuffer.wrap(serialized);
        List<ChaosSplit> splits = new ArrayList<>();
        while (bytes.hasRemaining()) {
            splits.add(new ChaosSplit(bytes.getInt(), bytes.getLong()));
        }
        return splits;
    }

    /** One split. */
    static final class Serializer implements SimpleVersionedSerializer<ChaosSplit> {
        @Override
        public int getVersion() {
            return 1;
        }

        @Override
        public byte[] serialize(ChaosSplit split) {
            return bytes(List.of(split));
        }

        @Override
        public ChaosSplit deserialize(int version, byte[] serialized) throws IOException {
            return splits(serialized).get(0);
        }
    }

    /** The enumerator's state: the splits that no reader has. */
    static final class ListSerializer implements SimpleVersionedSerializer<List<ChaosSplit>> {
        @Override
        public int getVersion() {
            return 1;
        }

        @Override
        public byte[] serialize(List<ChaosSplit> splits) {
            return bytes(splits);
        }

        @Override
        public List<ChaosSplit> deserialize(int version, byte[] serialized) throws IOException {
            return splits(serialized);
        }
    }
}
