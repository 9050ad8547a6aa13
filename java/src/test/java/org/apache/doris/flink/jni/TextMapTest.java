package org.apache.doris.flink.jni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.error.ErrorCode;
import org.apache.doris.flink.error.NativeException;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/** Maps as they cross the boundary. */
class TextMapTest {

    @Test
    void bytesAreAsDocumentedAndReadBack() throws Exception {
        Map<String, String> map = new LinkedHashMap<>();
        map.put("ä", "😀");
        map.put("", "");
        byte[] bytes = TextMap.encode(map);
        assertThat(bytes)
                .containsExactly(
                        0, 0, 0, 2, 0, 0, 0, 2, 0xc3, 0xa4, 0, 0, 0, 4, 0xf0, 0x9f, 0x98, 0x80, 0,
                        0, 0, 0, 0, 0, 0, 0);
        assertThat(TextMap.decode(bytes)).containsExactlyEntriesOf(map);
        assertThat(TextMap.decode(TextMap.encode(Map.of()))).isEmpty();
    }

    @Test
    void damagedBytesAreNoMap() {
        byte[] whole = TextMap.encode(Map.of("key", "value"));
        for (int length = 0; length < whole.length; length++) {
            byte[] part = Arrays.copyOf(whole, length);
            assertInternal(part);
        }
        assertInternal(Arrays.copyOf(whole, whole.length + 1));
        assertInternal(null);
        assertInternal(new byte[] {-1, -1, -1, -1});
        assertInternal(new byte[] {0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
    }

    private static void assertInternal(byte[] bytes) {
        assertThatThrownBy(() -> TextMap.decode(bytes))
                .isInstanceOfSatisfying(
                        NativeException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.INTERNAL));
    }
}
