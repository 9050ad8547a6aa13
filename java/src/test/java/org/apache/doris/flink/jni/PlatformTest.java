package org.apache.doris.flink.jni;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.Optional;

/** How a platform is told from what the system says about itself. */
class PlatformTest {
    private static final String MUSL =
            "7f1 r-xp 00000000 08:01 5 /opt/java/bin/java\n"
                    + "7f2 r-xp 00000000 08:01 6 /lib/ld-musl-x86_64.so.1\n";
    private static final String OLD_GLIBC =
            "7f2 r-xp 00000000 08:01 6                 /usr/lib64/libc-2.17.so\n"
                    + "7f3 r-xp 00000000 08:01 6 /usr/lib64/libcap.so.2\n";

    @Test
    void muslIsSeenInTheMappings() {
        assertThat(Platform.isMusl(MUSL)).isTrue();
        assertThat(Platform.isMusl(OLD_GLIBC)).isFalse();
        assertThat(Platform.glibcOf(MUSL)).isEmpty();
    }

    @Test
    void oldGlibcHasItsVersionInItsName() {
        assertThat(Platform.glibcOf(OLD_GLIBC)).contains(new Platform.GlibcVersion(2, 17));
        assertThat(Platform.glibcOf("7f2 r-xp 0 08:01 6 /lib/none/libc.so.6\n")).isEmpty();
    }

    @Test
    void versionsCompareAsNumbers() {
        assertThat(new Platform.GlibcVersion(2, 9)).isLessThan(new Platform.GlibcVersion(2, 17));
        assertThat(Platform.GlibcVersion.parse("2.3.4")).contains(new Platform.GlibcVersion(2, 3));
        assertThat(Platform.GlibcVersion.parse("x")).isEmpty();
    }

    @Test
    void namesAreThoseOfTheFolders() {
        assertThat(Platform.archName("amd64")).isEqualTo("x86_64");
        assertThat(Platform.archName("arm64")).isEqualTo("aarch64");
        assertThat(Platform.archName("riscv64")).isEqualTo("riscv64");
        assertThat(Platform.osName("Linux")).isEqualTo("linux");
        assertThat(Platform.osName("Mac OS X")).isEqualTo("macos");
        assertThat(Platform.osName("Windows Server 2022")).isEqualTo("windows");
        Platform alpine = new Platform("linux", "aarch64", true, Optional.empty());
        assertThat(alpine.classifier()).isEqualTo("linux-aarch64-musl");
        assertThat(alpine).hasToString("linux on aarch64, musl");
    }

    @Test
    void thisSystemIsKnown() {
        Platform here = Platform.current();
        assertThat(here.classifier()).matches("linux-(x86_64|aarch64)(-musl)?");
    }
}
