package org.apache.doris.flink.error;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;

/** Codes and exceptions as native code makes them. */
class ErrorCodeTest {

    @Test
    void numbersLeadBackAndUnknownOnesAreTolerated() {
        for (ErrorCode code : ErrorCode.values()) {
            assertThat(ErrorCode.of(code.number())).isEqualTo(code);
        }
        assertThat(ErrorCode.of(4711)).isEqualTo(ErrorCode.UNKNOWN);
        NativeException e = new NativeException(4711, true, utf8("new kind"), utf8(""));
        assertThat(e.code()).isEqualTo(ErrorCode.UNKNOWN);
        assertThat(e.isRetryable()).isTrue();
        assertThat(e).hasMessage("new kind (error code 4711)").hasNoCause();
    }

    @Test
    void nativeStackIsTheCause() {
        NativeException e = new NativeException(13, false, utf8("panic: 😀"), utf8("at scan.rs:1"));
        assertThat(e).hasMessage("panic: 😀");
        assertThat(e.nativeTrace()).isEqualTo("at scan.rs:1");
        assertThat(e.getCause()).hasMessage("native stack: at scan.rs:1");
    }

    @Test
    void nullTextsAreEmpty() {
        NativeException e = new NativeException(12, false, (byte[]) null, null);
        assertThat(e).hasMessage("");
        assertThat(e.code()).isEqualTo(ErrorCode.INTERNAL);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
