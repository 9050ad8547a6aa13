package org.apache.doris.flink.config;

import org.apache.doris.flink.config.option.DorisConfigOptions;
import org.apache.doris.flink.config.option.InvalidOption;
import org.apache.doris.flink.config.option.OptionValues;
import org.apache.flink.annotation.Internal;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.table.api.ValidationException;

import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Where the cluster is, which table is meant and how to log in. Immutable, validated when built;
 * the password appears in no text.
 */
@Internal
public final class ConnectionConfig implements Serializable {

    private static final long serialVersionUID = 1L;
    private static final Duration POSITIVE = Duration.ofMillis(1);

    private final List<NetworkAddress> fenodes;
    private final List<NetworkAddress> benodes;
    private final TableIdentifier table;
    private final String username;
    private final String password;
    private final int retries;
    private final Duration connectTimeout;
    private final Duration readTimeout;
    private final int workerThreads;
    private final String libraryPath;

    private ConnectionConfig(OptionValues options, boolean tableRequired) {
        fenodes = addresses(options, DorisConfigOptions.FENODES);
        if (fenodes.isEmpty()) {
            throw options.invalid(
                    DorisConfigOptions.FENODES,
                    "the list is empty",
                    "Name at least one front end as host:http_port, for example '127.0.0.1:8030'.");
        }
        benodes = addresses(options, DorisConfigOptions.BENODES);
        if (options.has(DorisConfigOptions.BENODES) && benodes.isEmpty()) {
            throw options.invalid(
                    DorisConfigOptions.BENODES,
                    "allowed is 'host:http_port', several separated by commas",
                    "Remove the option to use the back ends that the cluster names.");
        }
        table =
                tableRequired || options.text(DorisConfigOptions.TABLE_IDENTIFIER).isPresent()
                        ? table(options)
                        : null;
        username = options.exact(DorisConfigOptions.USERNAME).orElse("");
        password = options.exact(DorisConfigOptions.PASSWORD).orElse("");
        if (username.isEmpty() && !password.isEmpty()) {
            throw new ValidationException(
                    "Option 'password' is set but option 'username' is missing or empty: set"
                            + " 'username' as well.");
        }
        retries = options.integer(DorisConfigOptions.REQUEST_RETRIES, 0, Integer.MAX_VALUE);
        connectTimeout = options.duration(DorisConfigOptions.CONNECT_TIMEOUT, POSITIVE);
        readTimeout = options.duration(DorisConfigOptions.READ_TIMEOUT, POSITIVE);
        workerThreads =
                options.has(DorisConfigOptions.NATIVE_WORKER_THREADS)
                        ? options.integer(
                                DorisConfigOptions.NATIVE_WORKER_THREADS, 1, Integer.MAX_VALUE)
                        : 0;
        libraryPath = options.text(DorisConfigOptions.NATIVE_LIBRARY_PATH).orElse("");
    }

    /** Reads and checks the connection part of a table's options. */
    public static ConnectionConfig from(OptionValues options) {
        return new ConnectionConfig(options, true);
    }

    /**
     * As {@link #from}, for a sink whose serializer names the table of every record: the table may
     * be missing or blank.
     */
    public static ConnectionConfig withTableByRecord(OptionValues options) {
        return new ConnectionConfig(options, false);
    }

    /** Front ends, at least one. */
    public List<NetworkAddress> fenodes() {
        return Collections.unmodifiableList(fenodes);
    }

    /** Back ends given by hand; may be empty. */
    public List<NetworkAddress> benodes() {
        return Collections.unmodifiableList(benodes);
    }

    /** The table. */
    public TableIdentifier table() {
        if (table == null) {
            throw new IllegalStateException("The connection names no table.");
        }
        return table;
    }

    /** Whether there is a table; only a sink that writes to the tables of its records has none. */
    public boolean hasTable() {
        return table != null;
    }

    /** User name; may be empty. */
    public String username() {
        return username;
    }

    /** Password in the clear, for {@link ConfigCodec} alone; may be empty. */
    String password() {
        return password;
    }

    /** Attempts after the first, 0 or more. */
    public int retries() {
        return retries;
    }

    /** Longest wait for a connection. */
    public Duration connectTimeout() {
        return connectTimeout;
    }

    /** Longest wait for an answer. */
    public Duration readTimeout() {
        return readTimeout;
    }

    /** Threads of the native runtime on this machine: the option, else the cores up to four. */
    public int workerThreads() {
        return workerThreads > 0
                ? workerThreads
                : Math.min(4, Runtime.getRuntime().availableProcessors());
    }

    /** Native library to load instead of the one in the jar; empty for the latter. */
    public String libraryPath() {
        return libraryPath;
    }

    @Override
    public String toString() {
        return "ConnectionConfig{fenodes=" + fenodes + ", table=" + table + '}';
    }

    private static TableIdentifier table(OptionValues options) {
        return options.exact(DorisConfigOptions.TABLE_IDENTIFIER)
                .map(String::trim)
                .flatMap(TableIdentifier::parse)
                .orElseThrow(
                        () ->
                                options.invalid(
                                        DorisConfigOptions.TABLE_IDENTIFIER,
                                        "allowed are 'database.table' and, for snapshot reads,"
                                                + " 'catalog.database.table', parts quoted with"
                                                + " backticks where they hold dots or blanks",
                                        "Name the table with its database."));
    }

    private static List<NetworkAddress> addresses(
            OptionValues options, ConfigOption<String> option) {
        List<NetworkAddress> addresses = new ArrayList<>();
        for (String element : options.list(option)) {
            addresses.add(
                    NetworkAddress.parse(element)
                            .orElseThrow(
                                    () ->
                                            options.invalid(
                                                    option,
                                                    String.format(
                                                            "element '%s' is not host:http_port"
                                                                + " with a port of 1 to 65535,"
                                                                + " without a scheme, IPv6 hosts in"
                                                                + " brackets",
                                                            InvalidOption.shown(
                                                                    option.key(), element)),
                                                    "Write for example '127.0.0.1:8030' or"
                                                            + " '[::1]:8030'.")));
        }
        return addresses;
    }
}
