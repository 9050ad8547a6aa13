package org.apache.doris.flink.cfg;

import org.apache.flink.annotation.PublicEvolving;

import java.io.Serializable;
import java.util.Objects;

/**
 * Where a Doris cluster is and how to log in. Values are checked when a source or sink is built.
 */
@PublicEvolving
public class DorisConnectionOptions implements Serializable {

    private static final long serialVersionUID = 1L;

    protected final String fenodes;
    protected final String username;
    protected final String password;
    protected String jdbcUrl;
    protected String benodes;

    /** Whether a front end names the back end of each load. */
    protected boolean autoRedirect;

    protected final DorisTlsOptions tlsOptions;

    /**
     * @param fenodes front ends as {@code host:http_port}, separated by commas
     */
    public DorisConnectionOptions(String fenodes, String username, String password) {
        this(fenodes, username, password, null);
    }

    /**
     * @param fenodes front ends as {@code host:http_port}, separated by commas
     * @param jdbcUrl {@code jdbc:mysql://host:port}, or null
     */
    public DorisConnectionOptions(
            String fenodes, String username, String password, String jdbcUrl) {
        this(fenodes, null, username, password, jdbcUrl, true);
    }

    /**
     * @param fenodes front ends as {@code host:http_port}, separated by commas
     * @param benodes back ends as {@code host:http_port}, separated by commas, or null
     * @param jdbcUrl {@code jdbc:mysql://host:port}, or null
     * @param autoRedirect whether a front end names the back end of each load
     */
    public DorisConnectionOptions(
            String fenodes,
            String benodes,
            String username,
            String password,
            String jdbcUrl,
            boolean autoRedirect) {
        this(
                fenodes,
                benodes,
                username,
                password,
                jdbcUrl,
                autoRedirect,
                DorisTlsOptions.disabled());
    }

    /**
     * @param fenodes front ends as {@code host:http_port}, separated by commas
     * @param benodes back ends as {@code host:http_port}, separated by commas, or null
     * @param jdbcUrl {@code jdbc:mysql://host:port}, or null
     * @param autoRedirect whether a front end names the back end of each load
     * @param tlsOptions encryption; null for none
     */
    public DorisConnectionOptions(
            String fenodes,
            String benodes,
            String username,
            String password,
            String jdbcUrl,
            boolean autoRedirect,
            DorisTlsOptions tlsOptions) {
        this.fenodes = Objects.requireNonNull(fenodes, "fenodes");
        this.benodes = benodes;
        this.username = username;
        this.password = password;
        this.jdbcUrl = jdbcUrl;
        this.autoRedirect = autoRedirect;
        this.tlsOptions = tlsOptions == null ? DorisTlsOptions.disabled() : tlsOptions;
    }

    /** Front ends. */
    public String getFenodes() {
        return fenodes;
    }

    /** User name; may be null. */
    public String getUsername() {
        return username;
    }

    /** Password in the clear; may be null. */
    public String getPassword() {
        return password;
    }

    /** Back ends, or null. */
    public String getBenodes() {
        return benodes;
    }

    /** Address of the MySQL port, or null. */
    public String getJdbcUrl() {
        return jdbcUrl;
    }

    /** Whether a front end names the back end of each load. */
    public boolean isAutoRedirect() {
        return autoRedirect;
    }

    /** Encryption. */
    public DorisTlsOptions getTlsOptions() {
        return tlsOptions;
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + "{fenodes='" + fenodes + "'}";
    }

    /** Builds {@link DorisConnectionOptions}. */
    public static class DorisConnectionOptionsBuilder {

        private String fenodes;
        private String benodes;
        private String username;
        private String password;
        private String jdbcUrl;
        private boolean autoRedirect = true;
        private DorisTlsOptions tlsOptions = DorisTlsOptions.disabled();

        /** Front ends as {@code host:http_port}, separated by commas; required. */
        public DorisConnectionOptionsBuilder withFenodes(String fenodes) {
            this.fenodes = fenodes;
            return this;
        }

        /** Back ends as {@code host:http_port}, separated by commas. */
        public DorisConnectionOptionsBuilder withBenodes(String benodes) {
            this.benodes = benodes;
            return this;
        }

        /** User name. */
        public DorisConnectionOptionsBuilder withUsername(String username) {
            this.username = username;
            return this;
        }

        /** Password. */
        public DorisConnectionOptionsBuilder withPassword(String password) {
            this.password = password;
            return this;
        }

        /** Address of the MySQL port. */
        public DorisConnectionOptionsBuilder withJdbcUrl(String jdbcUrl) {
            this.jdbcUrl = jdbcUrl;
            return this;
        }

        /** Whether a front end names the back end of each load; true by default. */
        public DorisConnectionOptionsBuilder withAutoRedirect(boolean autoRedirect) {
            this.autoRedirect = autoRedirect;
            return this;
        }

        /** Encryption; none by default. */
        public DorisConnectionOptionsBuilder withTlsOptions(DorisTlsOptions tlsOptions) {
            this.tlsOptions = tlsOptions;
            return this;
        }

        /** Makes the options. */
        public DorisConnectionOptions build() {
            return new DorisConnectionOptions(
                    fenodes, benodes, username, password, jdbcUrl, autoRedirect, tlsOptions);
        }
    }
}
