package org.apache.doris.flink.tools.cdc;

import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.api.java.tuple.Tuple2;

import java.io.Serializable;
import java.util.LinkedHashMap;
import java.util.Map;

/** Properties of tables to be created. Without effect: tables are not created yet. */
@PublicEvolving
public class DorisTableConfig implements Serializable {

    private static final long serialVersionUID = 1L;

    /** Property of tables whose columns can be changed. */
    public static final String LIGHT_SCHEMA_CHANGE = "light_schema_change";

    /** Property for the number of replicas. */
    public static final String REPLICATION_NUM = "replication_num";

    /** Buckets: {@code table:number,...}. */
    public static final String TABLE_BUCKETS = "table-buckets";

    /** Partitions: {@code table:column:interval,...}. */
    public static final String TABLE_PARTITIONS = "table-partitions";

    /** Whether a unique index becomes the key. */
    public static final String CONVERT_UNIQ_TO_PK = "convert-uniq-to-pk";

    private final LinkedHashMap<String, String> tableProperties = new LinkedHashMap<>();
    private final Map<String, Integer> tableBuckets;
    private final Map<String, Tuple2<String, String>> tablePartitions;
    private final boolean convertUniqToPk;

    /** No property. */
    public DorisTableConfig() {
        tableBuckets = new LinkedHashMap<>();
        tablePartitions = null;
        convertUniqToPk = false;
    }

    /**
     * @param tableConfig properties of the table, and the keys of this class; null for none
     */
    public DorisTableConfig(Map<String, String> tableConfig) {
        if (tableConfig != null) {
            tableProperties.putAll(tableConfig);
        }
        tableProperties.putIfAbsent(LIGHT_SCHEMA_CHANGE, "true");
        String buckets = tableProperties.remove(TABLE_BUCKETS);
        String partitions = tableProperties.remove(TABLE_PARTITIONS);
        tableBuckets = buckets == null ? null : buildTableBucketMap(buckets);
        tablePartitions = partitions == null ? null : buildTablePartitionMap(partitions);
        convertUniqToPk = Boolean.parseBoolean(tableProperties.remove(CONVERT_UNIQ_TO_PK));
    }

    /** Buckets by pattern; null when none were given. */
    public Map<String, Integer> getTableBuckets() {
        return tableBuckets;
    }

    /** Properties of the table, without the keys of this class. */
    public Map<String, String> getTableProperties() {
        return tableProperties;
    }

    /** Column and interval by table; null when none were given. */
    public Map<String, Tuple2<String, String>> getTablePartitions() {
        return tablePartitions;
    }

    /** Whether a unique index becomes the key. */
    public boolean isConvertUniqToPk() {
        return convertUniqToPk;
    }

    /** Reads {@code table:number,...}. */
    public Map<String, Integer> buildTableBucketMap(String buckets) {
        Map<String, Integer> byTable = new LinkedHashMap<>();
        for (String[] parts : parts(TABLE_BUCKETS, buckets, "table:number", 2)) {
            byTable.put(parts[0], Integer.parseInt(parts[1]));
        }
        return byTable;
    }

    /** Reads {@code table:column:interval,...}. */
    public Map<String, Tuple2<String, String>> buildTablePartitionMap(String partitions) {
        Map<String, Tuple2<String, String>> byTable = new LinkedHashMap<>();
        for (String[] parts : parts(TABLE_PARTITIONS, partitions, "table:column:interval", 3)) {
            byTable.put(parts[0], Tuple2.of(parts[1], parts[2]));
        }
        return byTable;
    }

    private static String[][] parts(String key, String text, String form, int count) {
        String[] elements = text.trim().split("\\s*,\\s*");
        String[][] all = new String[elements.length][];
        for (int i = 0; i < elements.length; i++) {
            all[i] = elements[i].split("\\s*:\\s*");
            if (all[i].length != count || count == 2 && !all[i][1].matches("[0-9]{1,9}")) {
                throw new IllegalArgumentException(
                        String.format("Invalid value '%s' of '%s': write %s.", text, key, form));
            }
        }
        return all;
    }
}
