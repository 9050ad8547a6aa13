package org.apache.doris.flink.config.option;

import static org.apache.doris.flink.config.option.DorisOption.Status.LATER;
import static org.apache.doris.flink.config.option.DorisOption.Status.NO_EFFECT;
import static org.apache.doris.flink.config.option.DorisOption.Status.WORKS;
import static org.apache.flink.configuration.ConfigOptions.key;

import org.apache.flink.annotation.Internal;
import org.apache.flink.configuration.ConfigOption;

import java.time.Duration;
import java.util.List;

/** Options that say where the cluster is and how to talk to it; shared by reading and writing. */
@Internal
public final class CommonOptions {

    public static final ConfigOption<String> FENODES =
            key("fenodes")
                    .stringType()
                    .noDefaultValue()
                    .withDescription(
                            "Front ends as `host:http_port`, several separated by commas; IPv6"
                                    + " hosts in brackets. All must belong to one cluster; one that"
                                    + " does not answer is skipped.");

    public static final ConfigOption<String> BENODES =
            key("benodes")
                    .stringType()
                    .noDefaultValue()
                    .withDescription(
                            "Back ends as `host:http_port`, several separated by commas. Set it"
                                    + " when a proxy or NAT hides the real addresses: loads then go"
                                    + " there only. No bearing on reading.");

    public static final ConfigOption<String> TABLE_IDENTIFIER =
            key("table.identifier")
                    .stringType()
                    .noDefaultValue()
                    .withDescription(
                            "`database.table`; parts may be quoted with backticks."
                                + " `catalog.database.table` names a table of an external catalog"
                                + " that Doris knows, for snapshot reads only, read as one split.");

    public static final ConfigOption<String> USERNAME =
            key("username")
                    .stringType()
                    .noDefaultValue()
                    .withDescription(
                            "Doris user. May be missing only together with an empty password.");

    public static final ConfigOption<String> PASSWORD =
            key("password")
                    .stringType()
                    .noDefaultValue()
                    .withDescription("Password of the user; may be empty. Never shown or logged.");

    public static final ConfigOption<String> JDBC_URL =
            key("jdbc-url")
                    .stringType()
                    .noDefaultValue()
                    .withDescription(
                            "`jdbc:mysql://host:port[,host:port][/db][?params]`, the MySQL port of"
                                + " the front ends. Needed by the offset table of an incremental"
                                + " read and, once they are built, by lookup joins, TVF writes and"
                                + " `INSERT OVERWRITE`; no driver jar is needed.");

    public static final ConfigOption<Boolean> AUTO_REDIRECT =
            key("auto-redirect")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "Loads: `true` lets a front end name the back end, `false` picks among"
                                + " the live back ends in turn. Change it when clients reach back"
                                + " ends only directly. No bearing on reading.");

    public static final ConfigOption<Integer> REQUEST_RETRIES =
            key("doris.request.retries")
                    .intType()
                    .defaultValue(3)
                    .withDescription(
                            "Attempts after the first, for requests that may be repeated (schema,"
                                + " query plan, back-end list, Flight connect). 0 or more. Raise it"
                                + " for clusters that restart often.");

    public static final ConfigOption<Duration> CONNECT_TIMEOUT =
            key("doris.request.connect.timeout")
                    .durationType()
                    .defaultValue(Duration.ofSeconds(60))
                    .withDescription(
                            "Longest wait for a connection to a front or back end. Above 0; lower"
                                    + " it so that dead nodes are skipped sooner.");

    public static final ConfigOption<Duration> READ_TIMEOUT =
            key("doris.request.read.timeout")
                    .durationType()
                    .defaultValue(Duration.ofSeconds(60))
                    .withDescription(
                            "Longest wait for an answer on an open connection. Above 0. Does not"
                                    + " limit the run time of a query"
                                    + " (`doris.request.query.timeout`).");

    public static final ConfigOption<Boolean> HTTP_UTF8_CHARSET =
            key("sink.http-utf8-charset")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription("Accepted and ignored: headers are always sent as UTF-8.");

    public static final ConfigOption<String> NATIVE_LIBRARY_PATH =
            key("doris.native.library-path")
                    .stringType()
                    .noDefaultValue()
                    .withDescription(
                            "File to load instead of the native library in the jar, on every"
                                + " machine of the job. It must be the jar's own, or have its"
                                + " sha256sum beside it as FILE.sha256. Set it where the temporary"
                                + " folder may not hold executables.");

    public static final ConfigOption<Integer> NATIVE_WORKER_THREADS =
            key("doris.native.worker-threads")
                    .intType()
                    .noDefaultValue()
                    .withDescription(
                            "Threads of the native runtime, 1 or more. Default: the number of"
                                + " cores, at most 4. There is one runtime per loaded library; the"
                                + " first user's value counts.");

    public static final ConfigOption<Boolean> TLS_ENABLED =
            key("doris.enable.tls")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription(
                            "Encrypts the connections to Doris. `true` is refused until TLS is"
                                    + " built.");

    public static final ConfigOption<String> TLS_CA_CERTIFICATE_PATH =
            key("doris.tls.ca-certificate-path")
                    .stringType()
                    .defaultValue("")
                    .withDescription(
                            "PEM file with CA certificates. Without effect while TLS is off.");

    public static final ConfigOption<Boolean> TLS_SKIP_HOSTNAME_VERIFICATION =
            key("doris.tls.skip-hostname-verification")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription(
                            "`true` accepts any host name but still verifies the chain. Without"
                                    + " effect while TLS is off.");

    public static final ConfigOption<String> TLS_EXCLUDED_PROTOCOLS =
            key("doris.tls.excluded-protocols")
                    .stringType()
                    .defaultValue("")
                    .withDescription(
                            "Channels that stay plain: any of `http`, `mysql`, `thrift`,"
                                    + " `arrowflight`. Without effect while TLS is off.");

    private static final String GROUP = "Connection";
    private static final String TLS = "TLS";

    public static final List<DorisOption> OPTIONS =
            List.of(
                    new DorisOption(FENODES, GROUP, "String list", WORKS),
                    new DorisOption(BENODES, GROUP, "String list", WORKS),
                    new DorisOption(TABLE_IDENTIFIER, GROUP, "String", WORKS),
                    new DorisOption(USERNAME, GROUP, "String", WORKS),
                    new DorisOption(PASSWORD, GROUP, "String", WORKS),
                    new DorisOption(JDBC_URL, GROUP, "String", WORKS),
                    new DorisOption(AUTO_REDIRECT, GROUP, "Boolean", WORKS),
                    new DorisOption(REQUEST_RETRIES, GROUP, "Integer", WORKS),
                    new DorisOption(CONNECT_TIMEOUT, GROUP, "Duration", WORKS),
                    new DorisOption(READ_TIMEOUT, GROUP, "Duration", WORKS),
                    new DorisOption(HTTP_UTF8_CHARSET, GROUP, "Boolean", NO_EFFECT),
                    new DorisOption(NATIVE_LIBRARY_PATH, GROUP, "String", WORKS),
                    new DorisOption(NATIVE_WORKER_THREADS, GROUP, "Integer", WORKS),
                    new DorisOption(TLS_ENABLED, TLS, "Boolean", LATER),
                    new DorisOption(TLS_CA_CERTIFICATE_PATH, TLS, "String", LATER),
                    new DorisOption(TLS_SKIP_HOSTNAME_VERIFICATION, TLS, "Boolean", LATER),
                    new DorisOption(TLS_EXCLUDED_PROTOCOLS, TLS, "String list", LATER));

    private CommonOptions() {}
}
