package org.apache.doris.flink.jni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.error.NativeException;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Plans as bytes, whole and damaged. */
class ScanPlanTest {

    @Test
    void planIsRead() throws IOException {
        ScanPlan plan = ScanPlan.decode(bytes());
        assertThat(plan.hasTablets()).isTrue();
        assertThat(plan.tablets()).hasSize(2);
        assertThat(plan.tablets().get(0).id()).isEqualTo(10_001L);
        assertThat(plan.tablets().get(0).backends()).containsExactly("be-1:9060", "[::1]:9060");
        assertThat(plan.tablets().get(1).backends()).isEmpty();
        assertThat(plan.warnings()).containsExactly("é😀");
        assertThatThrownBy(() -> plan.tablets().clear())
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void damagedPlansAreErrors() throws IOException {
        byte[] good = bytes();
        for (int length = 0; length < good.length; length++) {
            byte[] cut = Arrays.copyOf(good, length);
            assertThatThrownBy(() -> ScanPlan.decode(cut)).isInstanceOf(NativeException.class);
        }
        byte[] longer = Arrays.copyOf(good, good.length + 1);
        assertThatThrownBy(() -> ScanPlan.decode(longer)).isInstanceOf(NativeException.class);
        byte[] huge = good.clone();
        Arrays.fill(huge, 1, 5, (byte) 0x7F);
        assertThatThrownBy(() -> ScanPlan.decode(huge)).isInstanceOf(NativeException.class);
        assertThatThrownBy(() -> ScanPlan.decode(null)).isInstanceOf(NativeException.class);
    }

    private static byte[] bytes() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeByte(1);
        out.writeInt(2);
        out.writeLong(10_001);
        out.writeInt(2);
        text(out, "be-1:9060");
        text(out, "[::1]:9060");
        out.writeLong(10_002);
        out.writeInt(0);
        out.writeInt(1);
        text(out, "é😀");
        return bytes.toByteArray();
    }

    private static void text(DataOutputStream out, String text) throws IOException {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(utf8.length);
        out.write(utf8);
    }
}
