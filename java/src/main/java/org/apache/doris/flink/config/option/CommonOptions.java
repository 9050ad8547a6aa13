package org.apache.doris.flink.config.option;

import static org.apache.doris.flink.config.option.DorisOption.Status.LATER;
import static org.apache.doris.flink.config.option.DorisOption.Status.NO_EFFECT;

import org.apache.flink.annotation.Internal;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Options that say where the cluster is and how to talk to it; shared by reading and writing. */
@Internal
public final class CommonOptions {

    private static final OptionGroup CONNECTION = new OptionGroup("Connection");
    private static final OptionGroup TLS = new OptionGroup("TLS", LATER);

    private static final String JDBC_URLS = "(?i)jdbc:(mysql|mariadb)://[^\\s/?#]+(/.*)?";
    private static final List<String> PROTOCOLS = List.of("http", "mysql", "thrift", "arrowflight");

    public static final DorisOption<List<String>> FENODES =
            CONNECTION
                    .list("fenodes", null)
                    .required()
                    .replaces("scan-url")
                    .replacesInWriting("load-url")
                    .describe(
                            "Front ends as `host:http_port`, several separated by commas; IPv6"
                                    + " hosts in brackets. All must belong to one cluster; one that"
                                    + " does not answer is skipped.");

    public static final DorisOption<List<String>> BENODES =
            CONNECTION
                    .list("benodes", null)
                    .describe(
                            "Back ends as `host:http_port`, several separated by commas. Set it"
                                    + " when a proxy or NAT hides the real addresses: loads then go"
                                    + " there only. Does not affect reading.");

    public static final DorisOption<String> TABLE_IDENTIFIER =
            CONNECTION
                    .text("table.identifier", null)
                    .required()
                    .describe(
                            "`database.table`; parts may be quoted with backticks."
                                + " `catalog.database.table` names a table of an external catalog"
                                + " that Doris knows, for snapshot reads only, read as one split.");

    public static final DorisOption<String> USERNAME =
            CONNECTION
                    .exact("username")
                    .crosses("")
                    .describe("Doris user. May be missing only together with an empty password.");

    public static final DorisOption<String> PASSWORD =
            CONNECTION
                    .exact("password")
                    .crosses("")
                    .describe("Password of the user; may be empty. Never shown or logged.");

    public static final DorisOption<String> JDBC_URL =
            CONNECTION
                    .text("jdbc-url", null)
                    .where(
                            url -> url.isEmpty() || url.matches(JDBC_URLS),
                            "allowed is"
                                + " 'jdbc:mysql://host:port[,host:port][/database][?parameters]'",
                            "Name the MySQL port of the front ends, 9030 by default.")
                    .describe(
                            "`jdbc:mysql://host:port[,host:port][/db][?params]`, the MySQL port of"
                                + " the front ends. Needed by the offset table of an incremental"
                                + " read and, once they are built, by lookup joins, TVF writes and"
                                + " `INSERT OVERWRITE`; no driver jar is needed.");

    public static final DorisOption<Boolean> AUTO_REDIRECT =
            CONNECTION
                    .flag("auto-redirect", true)
                    .describe(
                            "Loads: `true` lets a front end name the back end, `false` picks among"
                                + " the live back ends in turn. Change it when clients reach back"
                                + " ends only directly. Does not affect reading.");

    public static final DorisOption<Integer> REQUEST_RETRIES =
            CONNECTION
                    .integer("doris.request.retries", "3")
                    .atLeast("0")
                    .replaces("scan.max-retries")
                    .crosses()
                    .describe(
                            "Attempts after the first, for requests that may be repeated (schema,"
                                    + " query plan, back-end list, Flight connect). Raise it"
                                    + " for clusters that restart often.");

    public static final DorisOption<Duration> CONNECT_TIMEOUT =
            CONNECTION
                    .duration("doris.request.connect.timeout", "60s")
                    .atLeast("1ms")
                    .former("doris.request.connect.timeout.ms", "ms")
                    .replaces("connection.max-retry-timeout", "scan.connect.timeout-ms")
                    .replacesInWriting("sink.connect.timeout-ms")
                    .crosses()
                    .describe(
                            "Longest wait for a connection to a front or back end. Lower"
                                    + " it so that dead nodes are skipped sooner.");

    public static final DorisOption<Duration> READ_TIMEOUT =
            CONNECTION
                    .duration("doris.request.read.timeout", "60s")
                    .atLeast("1ms")
                    .former("doris.request.read.timeout.ms", "ms")
                    .replacesInWriting(
                            "sink.socket.timeout-ms", "sink.wait-for-continue.timeout-ms")
                    .crosses()
                    .describe(
                            "Longest wait for an answer on an open connection. Does not"
                                    + " limit the run time of a query"
                                    + " (`doris.request.query.timeout`).");

    public static final DorisOption<Boolean> HTTP_UTF8_CHARSET =
            CONNECTION
                    .flag("sink.http-utf8-charset", false)
                    .status(NO_EFFECT)
                    .describe("Accepted and ignored: headers are always sent as UTF-8.");

    public static final DorisOption<String> NATIVE_LIBRARY_PATH =
            CONNECTION
                    .text("doris.native.library-path", null)
                    .describe(
                            "File to load instead of the native library in the jar, on every"
                                + " machine of the job. It must be the jar's own, or have its"
                                + " sha256sum beside it as FILE.sha256. Set it where the temporary"
                                + " folder may not hold executables.");

    public static final DorisOption<Integer> NATIVE_WORKER_THREADS =
            CONNECTION
                    .integer("doris.native.worker-threads", null)
                    .atLeast("1")
                    .crosses()
                    .describe(
                            "Threads of the native runtime. Default: the number of cores, at most"
                                + " 4. There is one runtime per loaded library; the first user's"
                                + " value counts.");

    public static final DorisOption<Boolean> TLS_ENABLED =
            TLS.flag("doris.enable.tls", false)
                    .describe(
                            "Encrypts the connections to Doris. `true` is refused until TLS is"
                                    + " built.");

    public static final DorisOption<String> TLS_CA_CERTIFICATE_PATH =
            TLS.text("doris.tls.ca-certificate-path", "")
                    .describe("PEM file with CA certificates. Without effect while TLS is off.");

    public static final DorisOption<Boolean> TLS_SKIP_HOSTNAME_VERIFICATION =
            TLS.flag("doris.tls.skip-hostname-verification", false)
                    .describe(
                            "`true` accepts any host name but still verifies the chain. Without"
                                    + " effect while TLS is off.");

    public static final DorisOption<List<String>> TLS_EXCLUDED_PROTOCOLS =
            TLS.list("doris.tls.excluded-protocols", "")
                    .where(
                            names -> noProtocol(names).isEmpty(),
                            names ->
                                    "'"
                                            + noProtocol(names).get()
                                            + "' is none of '"
                                            + String.join("', '", PROTOCOLS)
                                            + "'",
                            "")
                    .describe(
                            "Channels that stay plain: any of `http`, `mysql`, `thrift`,"
                                    + " `arrowflight`. Without effect while TLS is off.");

    static final List<OptionGroup> GROUPS = List.of(CONNECTION, TLS);

    private CommonOptions() {}

    /** Where the cluster is and how to talk to it. */
    public static List<DorisOption<?>> ofConnection() {
        return CONNECTION.options();
    }

    private static Optional<String> noProtocol(List<String> names) {
        return names.stream()
                .filter(name -> PROTOCOLS.stream().noneMatch(name::equalsIgnoreCase))
                .findFirst();
    }
}
