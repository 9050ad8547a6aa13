package org.apache.doris.flink.cfg;

import org.apache.flink.annotation.PublicEvolving;

import java.io.Serializable;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;

/**
 * Encryption of the connections to Doris. Not supported yet: a source or sink that is built with
 * enabled options is refused.
 */
@PublicEvolving
public class DorisTlsOptions implements Serializable {

    private static final long serialVersionUID = 1L;

    private final boolean enabled;
    private final String caCertificatePath;
    private final boolean skipHostnameVerification;
    private final EnumSet<Protocol> excludedProtocols;

    private DorisTlsOptions(Builder builder) {
        this.enabled = builder.enabled;
        this.caCertificatePath = builder.caCertificatePath;
        this.skipHostnameVerification = builder.skipHostnameVerification;
        this.excludedProtocols = EnumSet.copyOf(builder.excludedProtocols);
    }

    /** No encryption. */
    public static DorisTlsOptions disabled() {
        return builder().build();
    }

    /** A builder of options that are not enabled. */
    public static Builder builder() {
        return new Builder();
    }

    /** Whether connections are encrypted at all. */
    public boolean isEnabled() {
        return enabled;
    }

    /** Whether connections of a protocol are encrypted. */
    public boolean isEnabledFor(Protocol protocol) {
        return enabled && !excludedProtocols.contains(protocol);
    }

    /** File with the certificates of trusted authorities; empty for the default ones. */
    public String getCaCertificatePath() {
        return caCertificatePath;
    }

    /** Whether any host name is accepted. */
    public boolean isSkipHostnameVerification() {
        return skipHostnameVerification;
    }

    /** Protocols that stay plain. */
    public Set<Protocol> getExcludedProtocols() {
        return Collections.unmodifiableSet(excludedProtocols);
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof DorisTlsOptions)) {
            return false;
        }
        DorisTlsOptions that = (DorisTlsOptions) other;
        return enabled == that.enabled
                && skipHostnameVerification == that.skipHostnameVerification
                && caCertificatePath.equals(that.caCertificatePath)
                && excludedProtocols.equals(that.excludedProtocols);
    }

    @Override
    public int hashCode() {
        return Objects.hash(
                enabled, caCertificatePath, skipHostnameVerification, excludedProtocols);
    }

    /** A channel that can be encrypted. */
    public enum Protocol {
        /** REST services of front and back ends. */
        HTTP("http"),
        /** Query port. */
        MYSQL("mysql"),
        /** Scan service of the back ends. */
        THRIFT("thrift"),
        /** Arrow Flight SQL. */
        ARROW_FLIGHT("arrowflight");

        private final String option;

        Protocol(String option) {
            this.option = option;
        }

        /** The protocol as options name it. */
        String option() {
            return option;
        }
    }

    /** Builds {@link DorisTlsOptions}. */
    public static class Builder {

        private boolean enabled;
        private String caCertificatePath = "";
        private boolean skipHostnameVerification;
        private Set<Protocol> excludedProtocols = EnumSet.noneOf(Protocol.class);

        /** Whether connections are encrypted. */
        public Builder setEnabled(boolean enabled) {
            this.enabled = enabled;
            return this;
        }

        /** File with the certificates of trusted authorities, on every machine of the job. */
        public Builder setCaCertificatePath(String caCertificatePath) {
            this.caCertificatePath = caCertificatePath == null ? "" : caCertificatePath;
            return this;
        }

        /** Whether any host name is accepted. */
        public Builder setSkipHostnameVerification(boolean skipHostnameVerification) {
            this.skipHostnameVerification = skipHostnameVerification;
            return this;
        }

        /**
         * Protocols that stay plain, separated by commas: {@code http}, {@code mysql}, {@code
         * thrift}, {@code arrowflight}.
         *
         * @throws IllegalArgumentException for another name
         */
        public Builder setExcludedProtocols(String excludedProtocols) {
            Set<Protocol> protocols = EnumSet.noneOf(Protocol.class);
            String text = excludedProtocols == null ? "" : excludedProtocols.trim();
            if (!text.isEmpty()) {
                for (String name : text.split(",", -1)) {
                    protocols.add(protocol(name));
                }
            }
            this.excludedProtocols = protocols;
            return this;
        }

        /** Makes the options. */
        public DorisTlsOptions build() {
            return new DorisTlsOptions(this);
        }

        private static Protocol protocol(String name) {
            return Arrays.stream(Protocol.values())
                    .filter(protocol -> protocol.option().equalsIgnoreCase(name.trim()))
                    .findFirst()
                    .orElseThrow(
                            () ->
                                    new IllegalArgumentException(
                                            String.format(
                                                    "'%s' is not a protocol: allowed are 'http',"
                                                        + " 'mysql', 'thrift' and 'arrowflight'.",
                                                    name)));
        }
    }
}
