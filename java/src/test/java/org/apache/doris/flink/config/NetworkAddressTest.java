package org.apache.doris.flink.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Addresses as users write them. */
class NetworkAddressTest {

    @ParameterizedTest
    @CsvSource({
        "fe1:8030, fe1, 8030",
        "127.0.0.1:1, 127.0.0.1, 1",
        "[::1]:8030, ::1, 8030",
        "[fe80::1%eth0]:65535, fe80::1%eth0, 65535",
        "fe_1.example-host.org:8030, fe_1.example-host.org, 8030"
    })
    void isRead(String text, String host, int port) {
        NetworkAddress address = NetworkAddress.parse(text).orElseThrow();
        assertThat(address.host()).isEqualTo(host);
        assertThat(address.port()).isEqualTo(port);
        assertThat(address).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":",
                "fe1",
                "fe1:",
                ":8030",
                "fe1:0",
                "fe1:65536",
                "fe1:-1",
                "fe1:8030:8031",
                "http://fe1:8030",
                "::1:8030",
                "[::1]",
                "[]:1",
                "[fe1]:8030",
                "a b:1",
                "u@h:1",
                "fe1:80 30",
                "fe1:８０",
                "h/x:1"
            })
    void isRefused(String text) {
        assertThat(NetworkAddress.parse(text)).isEmpty();
    }
}
