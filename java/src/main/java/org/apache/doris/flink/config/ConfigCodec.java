package org.apache.doris.flink.config;

import org.apache.doris.flink.config.option.CommonOptions;
import org.apache.doris.flink.jni.TextMap;
import org.apache.flink.annotation.Internal;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A scan or a sink as the native core takes it: a complete and resolved map of text, so that no
 * default has to be known on the other side; written as a {@link TextMap}. The password is among
 * the values: the bytes must never be logged.
 */
@Internal
public final class ConfigCodec {

    private ConfigCodec() {}

    /** Encodes a scan for the native core. */
    public static byte[] encode(ScanConfig scan) {
        return encode(resolve(scan));
    }

    /**
     * Encodes a sink for the native core.
     *
     * @param loadTimeoutSeconds timeout that each load requests from the server
     * @param answerTimeout longest wait for a load's final answer
     */
    public static byte[] encode(SinkConfig sink, long loadTimeoutSeconds, Duration answerTimeout) {
        return encode(resolve(sink, loadTimeoutSeconds, answerTimeout));
    }

    static Map<String, String> resolve(ScanConfig scan) {
        ConnectionConfig connection = scan.connection();
        Map<String, String> map = resolve(connection);
        map.putAll(scan.read().sent());
        map.put("table.catalog", connection.table().catalog());
        map.put("table.database", connection.table().database());
        map.put("table.name", connection.table().table());
        map.put("read.filter", scan.filter());
        map.put("read.limit", String.valueOf(scan.limit()));
        map.put("read.local-time-zone", scan.localTimeZone());
        map.put("read.declared", scan.declared().asSerializableString());
        putChangelog(map, scan.changelog());
        map.put(
                "read.metadata",
                scan.metadata().stream().map(MetadataColumn::key).collect(Collectors.joining(",")));
        map.put("read.columns", String.valueOf(scan.columns().size()));
        for (int i = 0; i < scan.columns().size(); i++) {
            ScanColumn column = scan.columns().get(i);
            map.put("read.column." + i + ".path", column.quotedPath());
            map.put("read.column." + i + ".type", column.type().asSerializableString());
        }
        return map;
    }

    static Map<String, String> resolve(
            SinkConfig sink, long loadTimeoutSeconds, Duration answerTimeout) {
        WriteConfig write = sink.write();
        Map<String, String> map = resolve(sink.connection());
        map.putAll(write.sent());
        map.put("write.two-phase", String.valueOf(write.twoPhase()));
        map.put("write.batch", String.valueOf(write.batch()));
        map.put("write.group-commit", String.valueOf(write.groupCommit()));
        map.put("write.enable-delete", String.valueOf(write.enableDelete()));
        map.put("write.answer-timeout", String.valueOf(answerTimeout.toMillis()));
        map.put("write.local-time-zone", sink.localTimeZone());
        Map<String, String> properties = new TreeMap<>(write.properties());
        properties.put(LoadProperties.TIMEOUT, String.valueOf(loadTimeoutSeconds));
        map.put("write.properties", String.valueOf(properties.size()));
        int i = 0;
        for (Map.Entry<String, String> property : properties.entrySet()) {
            map.put("write.property." + i + ".name", property.getKey());
            map.put("write.property." + i + ".value", property.getValue());
            i++;
        }
        return map;
    }

    /** All empty texts where there is nothing to say. */
    private static void putChangelog(Map<String, String> map, ChangelogConfig changelog) {
        map.put(
                "changelog.increment-type",
                changelog.scanMode().isSnapshotOnly() ? "" : changelog.incrementType().option());
        map.put(
                "changelog.visible-wait-timeout",
                String.valueOf(changelog.visibleWaitTimeout().toMillis()));
        map.put(
                "changelog.offset-table.database",
                changelog.offsetTable().map(TableIdentifier::database).orElse(""));
        map.put(
                "changelog.offset-table.name",
                changelog.offsetTable().map(TableIdentifier::table).orElse(""));
        map.put("changelog.consumer-id", changelog.consumerId().orElse(""));
        map.put(CommonOptions.JDBC_URL.key(), changelog.jdbcUrl().orElse(""));
    }

    private static Map<String, String> resolve(ConnectionConfig connection) {
        Map<String, String> map = new TreeMap<>(connection.sent());
        map.put(CommonOptions.PASSWORD.key(), connection.password());
        map.put(CommonOptions.FENODES.key(), addresses(connection.fenodes()));
        map.put(CommonOptions.BENODES.key(), addresses(connection.benodes()));
        map.putIfAbsent(CommonOptions.NATIVE_WORKER_THREADS.key(), String.valueOf(threads()));
        return map;
    }

    /** Of the native runtime on this machine, where the user leaves it open. */
    private static int threads() {
        return Math.min(4, Runtime.getRuntime().availableProcessors());
    }

    static byte[] encode(Map<String, String> map) {
        return TextMap.encode(map);
    }

    private static String addresses(List<NetworkAddress> addresses) {
        return addresses.stream().map(NetworkAddress::toString).collect(Collectors.joining(","));
    }
}
