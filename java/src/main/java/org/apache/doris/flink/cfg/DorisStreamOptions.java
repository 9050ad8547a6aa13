package org.apache.doris.flink.cfg;

import org.apache.flink.annotation.PublicEvolving;

import java.io.Serializable;
import java.util.Properties;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Options objects from properties by the keys of {@link ConfigurationOptions}: the query timeout in
 * seconds, other times in milliseconds, memory in bytes. Keys that are not among them are not
 * looked at.
 */
@PublicEvolving
public class DorisStreamOptions implements Serializable {

    private static final long serialVersionUID = 1L;

    private final DorisOptions options;
    private final DorisReadOptions readOptions;

    /**
     * Reads the properties; later changes of them have no effect.
     *
     * @throws IllegalArgumentException names the key whose value cannot be read
     */
    public DorisStreamOptions(Properties prop) {
        this.options = options(prop);
        this.readOptions = readOptions(prop);
    }

    /** Cluster, login and table. */
    public DorisOptions getOptions() {
        return options;
    }

    /** What to read and how. */
    public DorisReadOptions getReadOptions() {
        return readOptions;
    }

    private static DorisOptions options(Properties prop) {
        return DorisOptions.builder()
                .setFenodes(prop.getProperty(ConfigurationOptions.DORIS_FENODES))
                .setUsername(prop.getProperty(ConfigurationOptions.DORIS_USER))
                .setPassword(prop.getProperty(ConfigurationOptions.DORIS_PASSWORD))
                .setTableIdentifier(prop.getProperty(ConfigurationOptions.TABLE_IDENTIFIER))
                .setTlsOptions(tls(prop))
                .build();
    }

    private static DorisTlsOptions tls(Properties prop) {
        DorisTlsOptions.Builder tls = DorisTlsOptions.builder();
        given(
                prop,
                ConfigurationOptions.DORIS_ENABLE_TLS,
                DorisStreamOptions::flag,
                tls::setEnabled);
        given(
                prop,
                ConfigurationOptions.DORIS_TLS_CA_CERTIFICATE_PATH,
                String::valueOf,
                tls::setCaCertificatePath);
        given(
                prop,
                ConfigurationOptions.DORIS_TLS_SKIP_HOSTNAME_VERIFICATION,
                DorisStreamOptions::flag,
                tls::setSkipHostnameVerification);
        given(
                prop,
                ConfigurationOptions.DORIS_TLS_EXCLUDED_PROTOCOLS,
                String::valueOf,
                tls::setExcludedProtocols);
        return tls.build();
    }

    private static DorisReadOptions readOptions(Properties prop) {
        DorisReadOptions.Builder read =
                DorisReadOptions.builder()
                        .setReadFields(prop.getProperty(ConfigurationOptions.DORIS_READ_FIELD))
                        .setFilterQuery(prop.getProperty(ConfigurationOptions.DORIS_FILTER_QUERY));
        given(
                prop,
                ConfigurationOptions.DORIS_REQUEST_RETRIES,
                Integer::valueOf,
                read::setRequestRetries);
        given(
                prop,
                ConfigurationOptions.DORIS_REQUEST_CONNECT_TIMEOUT_MS,
                Integer::valueOf,
                read::setRequestConnectTimeoutMs);
        given(
                prop,
                ConfigurationOptions.DORIS_REQUEST_READ_TIMEOUT_MS,
                Integer::valueOf,
                read::setRequestReadTimeoutMs);
        given(
                prop,
                ConfigurationOptions.DORIS_REQUEST_QUERY_TIMEOUT_S,
                Integer::valueOf,
                read::setRequestQueryTimeoutS);
        given(
                prop,
                ConfigurationOptions.DORIS_TABLET_SIZE,
                Integer::valueOf,
                read::setRequestTabletSize);
        given(
                prop,
                ConfigurationOptions.DORIS_BATCH_SIZE,
                Integer::valueOf,
                read::setRequestBatchSize);
        given(
                prop,
                ConfigurationOptions.DORIS_EXEC_MEM_LIMIT,
                Long::valueOf,
                read::setExecMemLimit);
        given(
                prop,
                ConfigurationOptions.DORIS_DESERIALIZE_ARROW_ASYNC,
                DorisStreamOptions::flag,
                read::setDeserializeArrowAsync);
        given(
                prop,
                ConfigurationOptions.DORIS_DESERIALIZE_QUEUE_SIZE,
                Integer::valueOf,
                read::setDeserializeQueueSize);
        given(
                prop,
                ConfigurationOptions.USE_FLIGHT_SQL,
                DorisStreamOptions::flag,
                read::setUseFlightSql);
        given(prop, ConfigurationOptions.FLIGHT_SQL_PORT, Integer::valueOf, read::setFlightSqlPort);
        return read.build();
    }

    private static <T> void given(
            Properties prop, String key, Function<String, T> parse, Consumer<T> set) {
        String text = prop.getProperty(key);
        if (text == null) {
            return;
        }
        T value;
        try {
            value = parse.apply(text.trim());
        } catch (NumberFormatException e) {
            throw invalid(text, key, "allowed is a whole number without a unit", e);
        } catch (IllegalArgumentException e) {
            throw invalid(text, key, "allowed are 'true' and 'false'", e);
        }
        set.accept(value);
    }

    private static Boolean flag(String text) {
        if (!text.equalsIgnoreCase("true") && !text.equalsIgnoreCase("false")) {
            throw new IllegalArgumentException(text);
        }
        return Boolean.valueOf(text);
    }

    private static IllegalArgumentException invalid(
            String text, String key, String allowed, IllegalArgumentException cause) {
        return new IllegalArgumentException(
                String.format("Invalid value '%s' for property '%s': %s.", text, key, allowed),
                cause);
    }
}
