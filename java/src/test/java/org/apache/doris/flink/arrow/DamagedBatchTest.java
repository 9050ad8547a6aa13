package org.apache.doris.flink.arrow;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.doris.flink.arrow.vector.Cells;
import org.apache.doris.flink.arrow.vector.VectorFactory;
import org.apache.doris.flink.error.ErrorCode;
import org.apache.doris.flink.error.NativeException;
import org.apache.flink.table.data.columnar.ColumnarRowData;
import org.apache.flink.table.types.logical.RowType;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.Random;

/** Damaged headers and bodies end in exceptions, never in a crash, a hang or a huge allocation. */
class DamagedBatchTest {
    private static final int[] BYTES = {0, 1, 0x7F, 0x80, 0xFF};

    @Test
    void everyByteOfAHeaderMayBeWrong() throws IOException {
        int refused = 0;
        for (String name : new String[] {"scalars", "nested", "plain", "zero_rows"}) {
            Fixture good = Fixture.of(name);
            for (int at = 0; at < good.header.length; at++) {
                byte was = good.header[at];
                for (int wrong : BYTES) {
                    good.header[at] = (byte) wrong;
                    refused += read(good, Cells.type(name)) ? 0 : 1;
                }
                good.header[at] = was;
            }
        }
        assertThat(refused).isGreaterThan(1000);
    }

    @Test
    void everyOffsetOfABodyMayBeWrong() throws IOException {
        for (String name : new String[] {"scalars", "nested", "plain"}) {
            Fixture good = Fixture.of(name);
            for (int at = 0; at < good.body.length; at++) {
                byte was = good.body[at];
                for (int wrong : BYTES) {
                    good.body[at] = (byte) wrong;
                    read(good, Cells.type(name));
                }
                good.body[at] = was;
            }
        }
    }

    @Test
    void headersMayBeShortOrNoise() throws IOException {
        Fixture good = Fixture.of("nested");
        for (int length = 0; length < good.header.length; length++) {
            byte[] cut = java.util.Arrays.copyOf(good.header, length);
            assertThat(parses(cut, good.body.length)).as("first %d bytes", length).isFalse();
        }
        Random random = new Random(5);
        for (int i = 0; i < 20_000; i++) {
            byte[] noise = new byte[random.nextInt(200)];
            random.nextBytes(noise);
            // Small numbers look more like positions than noise does.
            for (int j = 0; j + 4 <= noise.length; j += 4) {
                if (random.nextBoolean()) {
                    noise[j] = (byte) random.nextInt(64);
                    noise[j + 1] = 0;
                    noise[j + 2] = 0;
                    noise[j + 3] = 0;
                }
            }
            parses(noise, 1000);
        }
    }

    private static boolean parses(byte[] header, int bodyLength) {
        try {
            IpcHeader.parse(Fixture.direct(header), bodyLength);
            return true;
        } catch (NativeException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.DATA);
            return false;
        }
    }

    /** Whether all cells could be read; every other end must be one of the known exceptions. */
    private static boolean read(Fixture fixture, RowType type) {
        IpcBatch batch;
        try {
            int rows = IpcHeader.parse(Fixture.direct(fixture.header), fixture.body.length).rows();
            batch = fixture.batch(rows);
        } catch (NativeException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.DATA);
            return false;
        }
        try {
            ColumnarRowData row = new ColumnarRowData(VectorFactory.createBatch(type, batch));
            for (int i = 0; i < Math.min(batch.rows(), 20); i++) {
                row.setRowId(i);
                Cells.text(row, type);
            }
            return true;
        } catch (NativeException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.DATA);
            return false;
        } catch (IllegalStateException | IndexOutOfBoundsException e) {
            return false;
        } finally {
            batch.release();
        }
    }
}
