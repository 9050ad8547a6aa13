package org.apache.doris.flink.config;

import java.io.Serializable;
import java.util.Objects;
import java.util.Optional;

/** A host and a port as users write them: {@code host:8030} or {@code [::1]:8030}. */
final class NetworkAddress implements Serializable {

    private static final long serialVersionUID = 1L;

    private final String host;
    private final int port;

    private NetworkAddress(String host, int port) {
        this.host = host;
        this.port = port;
    }

    /** Parses one address; empty when it is not {@code host:port} with a port of 1 to 65535. */
    public static Optional<NetworkAddress> parse(String text) {
        int colon = text.lastIndexOf(':');
        if (colon <= 0) {
            return Optional.empty();
        }
        String host = text.substring(0, colon);
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        String bare = bracketed ? host.substring(1, host.length() - 1) : host;
        boolean legal =
                bracketed
                        ? bare.indexOf(':') >= 0 && bare.matches("[0-9A-Fa-f:.]+(%[\\w.-]+)?")
                        : bare.matches("[^\\s:/\\[\\]@?#,=]+");
        String digits = text.substring(colon + 1);
        if (!legal || !digits.matches("[0-9]{1,5}")) {
            return Optional.empty();
        }
        int port = Integer.parseInt(digits);
        return port >= 1 && port <= 65535
                ? Optional.of(new NetworkAddress(bare, port))
                : Optional.empty();
    }

    /** Host without brackets. */
    public String host() {
        return host;
    }

    /** Port, 1 to 65535. */
    public int port() {
        return port;
    }

    /** The form that {@link #parse} reads. */
    @Override
    public String toString() {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof NetworkAddress
                && host.equals(((NetworkAddress) other).host)
                && port == ((NetworkAddress) other).port;
    }

    @Override
    public int hashCode() {
        return Objects.hash(host, port);
    }
}
