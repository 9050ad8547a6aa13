package org.apache.doris.flink.config;

import org.apache.doris.flink.config.option.CommonOptions;
import org.apache.doris.flink.config.option.DorisOption;
import org.apache.doris.flink.config.option.InvalidOption;
import org.apache.doris.flink.config.option.OptionValues;
import org.apache.flink.annotation.Internal;
import org.apache.flink.table.api.ValidationException;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Where the cluster is, which table is meant and how to log in. Immutable, validated when built;
 * the password appears in no text.
 */
@Internal
public final class ConnectionConfig implements Serializable {

    private static final long serialVersionUID = 1L;

    private final List<NetworkAddress> fenodes;
    private final List<NetworkAddress> benodes;
    private final TableIdentifier table;
    private final String password;
    private final TreeMap<String, String> sent;
    private final String libraryPath;

    private ConnectionConfig(OptionValues options, boolean tableRequired) {
        fenodes = addresses(options, CommonOptions.FENODES);
        if (fenodes.isEmpty()) {
            throw options.invalid(
                    CommonOptions.FENODES,
                    "the list is empty",
                    "Name at least one front end as host:http_port, for example '127.0.0.1:8030'.");
        }
        benodes = addresses(options, CommonOptions.BENODES);
        if (options.has(CommonOptions.BENODES) && benodes.isEmpty()) {
            throw options.invalid(
                    CommonOptions.BENODES,
                    "allowed is 'host:http_port', several separated by commas",
                    "Remove the option to use the back ends that the cluster names.");
        }
        table =
                tableRequired || options.text(CommonOptions.TABLE_IDENTIFIER).isPresent()
                        ? table(options)
                        : null;
        sent = new TreeMap<>(options.sent(CommonOptions.ofConnection()));
        password = sent.remove(CommonOptions.PASSWORD.key());
        String username = sent.get(CommonOptions.USERNAME.key());
        if (username.isEmpty() && !password.isEmpty()) {
            throw new ValidationException(
                    "Option 'password' is set but option 'username' is missing or empty: set"
                            + " 'username' as well.");
        }
        libraryPath = options.text(CommonOptions.NATIVE_LIBRARY_PATH).orElse("");
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

    /** What goes to the native core as it is, by the keys of the options; no password. */
    public Map<String, String> sent() {
        return Collections.unmodifiableMap(sent);
    }

    /** Password in the clear, for {@link ConfigCodec} alone; may be empty. */
    String password() {
        return password;
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
        return options.text(CommonOptions.TABLE_IDENTIFIER)
                .flatMap(TableIdentifier::parse)
                .orElseThrow(
                        () ->
                                options.invalid(
                                        CommonOptions.TABLE_IDENTIFIER,
                                        "allowed are 'database.table' and, for snapshot reads,"
                                                + " 'catalog.database.table', parts quoted with"
                                                + " backticks where they hold dots or blanks",
                                        "Name the table with its database."));
    }

    private static List<NetworkAddress> addresses(
            OptionValues options, DorisOption<List<String>> option) {
        List<NetworkAddress> addresses = new ArrayList<>();
        List<String> elements = options.get(option);
        for (String element : elements == null ? List.<String>of() : elements) {
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
