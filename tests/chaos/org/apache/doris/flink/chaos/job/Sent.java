package org.apache.doris.flink.chaos.job;

import org.apache.doris.flink.chaos.job.ChaosRows.Stream;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;

/**
 * How often each row was sent. Each attempt of a source notes, per partition, the position of the
 * checkpoint that it began with and how far it came, in a mapped file, which also holds what a
 * process sent that was killed. What two attempts sent is what the first one sent after the last
 * completed checkpoint before its end.
 */
public final class Sent {

    private static final String FOLDER = "sent";
    private static final int BYTES = 2 * Long.BYTES;

    private final int[][][] times;
    private long again;

    private Sent(int end) {
        times = new int[Stream.values().length][ChaosRows.PARTITIONS][end];
    }

    /** What all attempts sent, up to a position of every partition. */
    public static Sent read(String control, long end) throws IOException {
        Sent sent = new Sent(Math.toIntExact(end));
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder(control))) {
            for (Path file : files) {
                String[] name = file.getFileName().toString().split("\\.");
                ByteBuffer range = ByteBuffer.wrap(Files.readAllBytes(file));
                sent.add(
                        Stream.valueOf(name[0]),
                        Integer.parseInt(name[1]),
                        range.getLong(),
                        range.getLong());
            }
        }
        return sent;
    }

    private void add(Stream stream, int partition, long from, long to) {
        int[] partitionTimes = times[stream.ordinal()][partition];
        for (int position = (int) from; position < to; position++) {
            if (++partitionTimes[position] > 1 && stream != Stream.UPDATES) {
                again++;
            }
        }
    }

    /** How often a row was sent. */
    public int times(Stream stream, int partition, long position) {
        return times[stream.ordinal()][partition][(int) position];
    }

    /** How many rows of the streams of inserts were sent once more, because their task failed. */
    public long again() {
        return again;
    }

    private static Path folder(String control) {
        return Path.of(control).resolve(FOLDER);
    }

    /** What one attempt sends of a partition. */
    static final class Range {

        private final MappedByteBuffer bytes;

        /** Begins at a position. */
        Range(String control, Stream stream, int partition, long from) {
            try {
                Path folder = Files.createDirectories(folder(control));
                String name = stream.name() + "." + partition + "." + UUID.randomUUID();
                try (FileChannel file =
                        FileChannel.open(
                                folder.resolve(name),
                                StandardOpenOption.CREATE_NEW,
                                StandardOpenOption.READ,
                                StandardOpenOption.WRITE)) {
                    bytes = file.map(MapMode.READ_WRITE, 0, BYTES);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            bytes.putLong(0, from);
            end(from);
        }

        /** Everything below this position was sent, or is sent next. */
        void end(long position) {
            bytes.putLong(Long.BYTES, position);
        }
    }
}
