package org.apache.doris.flink.cfg;

import org.apache.doris.flink.config.option.CommonOptions;
import org.apache.doris.flink.config.option.SinkOptions;
import org.apache.flink.annotation.Internal;

import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The options objects of a DataStream job as keys and values of a table, so that the same rules
 * hold for both. What is null is left out, and so is what equals the default.
 */
@Internal
public final class ObjectOptions {

    private ObjectOptions() {}

    /** Cluster, table and login. */
    static void putConnection(Map<String, String> map, DorisOptions options) {
        put(map, CommonOptions.FENODES.key(), options.getFenodes());
        put(map, CommonOptions.BENODES.key(), options.getBenodes());
        put(map, CommonOptions.TABLE_IDENTIFIER.key(), options.getTableIdentifier());
        put(map, CommonOptions.USERNAME.key(), options.getUsername());
        put(map, CommonOptions.PASSWORD.key(), options.getPassword());
        put(map, CommonOptions.JDBC_URL.key(), options.getJdbcUrl());
        put(map, CommonOptions.AUTO_REDIRECT.key(), options.isAutoRedirect());
        DorisTlsOptions tls = options.getTlsOptions();
        if (tls.isEnabled()) {
            put(map, CommonOptions.TLS_ENABLED.key(), true);
            put(map, CommonOptions.TLS_CA_CERTIFICATE_PATH.key(), tls.getCaCertificatePath());
            put(
                    map,
                    CommonOptions.TLS_SKIP_HOSTNAME_VERIFICATION.key(),
                    tls.isSkipHostnameVerification());
            put(
                    map,
                    CommonOptions.TLS_EXCLUDED_PROTOCOLS.key(),
                    tls.getExcludedProtocols().stream()
                            .map(DorisTlsOptions.Protocol::option)
                            .collect(Collectors.joining(",")));
        }
    }

    /** All of a source but the choice of columns and the limit; a new map. */
    public static Map<String, String> ofSource(DorisOptions options, DorisReadOptions read) {
        Map<String, String> map = new HashMap<>();
        putConnection(map, options);
        read.values().putAll(map);
        return map;
    }

    /** All of a sink; a new map, for the caller to change. */
    public static Map<String, String> ofSink(
            DorisOptions options, DorisReadOptions read, DorisExecutionOptions execution) {
        Map<String, String> map = new HashMap<>();
        putConnection(map, options);
        read.values().putAll(map, CommonOptions.ofConnection());
        execution.values().putAll(map);
        if (execution.getS3TvfOptions() != null) {
            execution.getS3TvfOptions().values().putAll(map);
        }
        // Only where it was set explicitly is a label prefix required.
        if (execution.force2PC() || Boolean.FALSE.equals(execution.enabled2PC())) {
            put(map, SinkOptions.ENABLE_2PC.key(), execution.enabled2PC());
        }
        execution
                .getStreamLoadProp()
                .forEach(
                        (name, value) ->
                                put(map, SinkOptions.PROPERTIES_PREFIX + name, value.toString()));
        return map;
    }

    private static void put(Map<String, String> map, String key, Object value) {
        if (value != null) {
            map.put(key, value.toString());
        }
    }
}
