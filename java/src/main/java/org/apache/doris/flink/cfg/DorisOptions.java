package org.apache.doris.flink.cfg;

import org.apache.flink.annotation.PublicEvolving;

import java.util.Objects;

/** Where a Doris cluster is, how to log in, and which table is meant. */
@PublicEvolving
public class DorisOptions extends DorisConnectionOptions {

    private static final long serialVersionUID = 1L;

    private String tableIdentifier;

    /**
     * @param fenodes front ends as {@code host:http_port}, separated by commas
     * @param tableIdentifier {@code database.table}
     */
    public DorisOptions(String fenodes, String username, String password, String tableIdentifier) {
        this(fenodes, username, password, tableIdentifier, null);
    }

    /**
     * @param fenodes front ends as {@code host:http_port}, separated by commas
     * @param tableIdentifier {@code database.table}
     * @param jdbcUrl {@code jdbc:mysql://host:port}, or null
     */
    public DorisOptions(
            String fenodes,
            String username,
            String password,
            String tableIdentifier,
            String jdbcUrl) {
        this(fenodes, null, username, password, tableIdentifier, jdbcUrl, true);
    }

    /**
     * @param fenodes front ends as {@code host:http_port}, separated by commas
     * @param beNodes back ends as {@code host:http_port}, separated by commas, or null
     * @param tableIdentifier {@code database.table}
     * @param jdbcUrl {@code jdbc:mysql://host:port}, or null
     * @param redirect whether a front end names the back end of each load
     */
    public DorisOptions(
            String fenodes,
            String beNodes,
            String username,
            String password,
            String tableIdentifier,
            String jdbcUrl,
            boolean redirect) {
        this(
                fenodes,
                beNodes,
                username,
                password,
                tableIdentifier,
                jdbcUrl,
                redirect,
                DorisTlsOptions.disabled());
    }

    /**
     * @param fenodes front ends as {@code host:http_port}, separated by commas
     * @param beNodes back ends as {@code host:http_port}, separated by commas, or null
     * @param tableIdentifier {@code database.table}; may be null or blank for a sink whose
     *     serializer names the table of each record
     * @param jdbcUrl {@code jdbc:mysql://host:port}, or null
     * @param redirect whether a front end names the back end of each load
     * @param tlsOptions encryption; null for none
     */
    public DorisOptions(
            String fenodes,
            String beNodes,
            String username,
            String password,
            String tableIdentifier,
            String jdbcUrl,
            boolean redirect,
            DorisTlsOptions tlsOptions) {
        super(fenodes, beNodes, username, password, jdbcUrl, redirect, tlsOptions);
        this.tableIdentifier = tableIdentifier;
    }

    /** The table as {@code database.table}; may be null or blank. */
    public String getTableIdentifier() {
        return tableIdentifier;
    }

    /** Names another table. */
    public void setTableIdentifier(String tableIdentifier) {
        this.tableIdentifier = tableIdentifier;
    }

    /** A builder without any value. */
    public static Builder builder() {
        return new Builder();
    }

    @Override
    public boolean equals(Object other) {
        if (other == null || getClass() != other.getClass()) {
            return false;
        }
        DorisOptions that = (DorisOptions) other;
        return autoRedirect == that.autoRedirect
                && Objects.equals(fenodes, that.fenodes)
                && Objects.equals(benodes, that.benodes)
                && Objects.equals(username, that.username)
                && Objects.equals(password, that.password)
                && Objects.equals(jdbcUrl, that.jdbcUrl)
                && Objects.equals(tableIdentifier, that.tableIdentifier)
                && getTlsOptions().equals(that.getTlsOptions());
    }

    @Override
    public int hashCode() {
        return Objects.hash(
                autoRedirect, fenodes, benodes, username, password, jdbcUrl, tableIdentifier);
    }

    /** Builds {@link DorisOptions}. */
    public static class Builder {

        private String fenodes;
        private String benodes;
        private String username;
        private String password;
        private String jdbcUrl;
        private boolean autoRedirect = true;
        private String tableIdentifier;
        private DorisTlsOptions tlsOptions = DorisTlsOptions.disabled();

        /** The table as {@code database.table}. */
        public Builder setTableIdentifier(String tableIdentifier) {
            this.tableIdentifier = tableIdentifier;
            return this;
        }

        /** User name. */
        public Builder setUsername(String username) {
            this.username = username;
            return this;
        }

        /** Password. */
        public Builder setPassword(String password) {
            this.password = password;
            return this;
        }

        /** Front ends as {@code host:http_port}, separated by commas; required. */
        public Builder setFenodes(String fenodes) {
            this.fenodes = fenodes;
            return this;
        }

        /** Back ends as {@code host:http_port}, separated by commas. */
        public Builder setBenodes(String benodes) {
            this.benodes = benodes;
            return this;
        }

        /** Address of the MySQL port as {@code jdbc:mysql://host:port}. */
        public Builder setJdbcUrl(String jdbcUrl) {
            this.jdbcUrl = jdbcUrl;
            return this;
        }

        /** Whether a front end names the back end of each load; true by default. */
        public Builder setAutoRedirect(boolean autoRedirect) {
            this.autoRedirect = autoRedirect;
            return this;
        }

        /** Encryption; none by default. */
        public Builder setTlsOptions(DorisTlsOptions tlsOptions) {
            this.tlsOptions = tlsOptions;
            return this;
        }

        /** Makes the options. */
        public DorisOptions build() {
            return new DorisOptions(
                    fenodes,
                    benodes,
                    username,
                    password,
                    tableIdentifier,
                    jdbcUrl,
                    autoRedirect,
                    tlsOptions);
        }
    }
}
