package org.apache.doris.flink.source.enumerator;

import org.apache.doris.flink.config.TableIdentifier;
import org.apache.doris.flink.source.split.DorisSplit;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;

/**
 * Packs tablets into splits: up to a given number each, all with a replica on one back end. The
 * result depends on the plan's content alone, not on its order.
 */
final class SplitPacker {

    private static final String NO_BACKEND = "";
    private static final int ID_HASH_BYTES = 8;

    private SplitPacker() {}

    /** The one split of a table without tablets, such as a view or an external table. */
    static DorisSplit wholeTable(TableIdentifier table, OptionalLong fenceMillis) {
        return DorisSplit.snapshot(table + "/all", new long[0], List.of(), fenceMillis);
    }

    /**
     * @param tablets tablet id → back ends with a replica; a tablet is in exactly one split
     * @param tabletsPerSplit 1 or more
     * @param fenceMillis where the changes that follow begin; empty where none do
     */
    static List<DorisSplit> pack(
            TableIdentifier table,
            Map<Long, ? extends List<String>> tablets,
            int tabletsPerSplit,
            OptionalLong fenceMillis) {
        Map<Long, List<String>> inOrder = new TreeMap<>(tablets);
        Map<String, List<Long>> byBackend = spread(inOrder);

        List<DorisSplit> splits = new ArrayList<>();
        for (Map.Entry<String, List<Long>> group : byBackend.entrySet()) {
            List<Long> members = group.getValue();
            for (int from = 0; from < members.size(); from += tabletsPerSplit) {
                List<Long> chunk =
                        members.subList(from, Math.min(members.size(), from + tabletsPerSplit));
                splits.add(split(table, group.getKey(), chunk, inOrder, fenceMillis));
            }
        }
        splits.sort(Comparator.comparingLong(split -> split.tablets()[0]));
        return splits;
    }

    /** Gives each tablet to the one of its back ends that has the fewest so far. */
    private static Map<String, List<Long>> spread(Map<Long, List<String>> tablets) {
        Map<String, List<Long>> byBackend = new LinkedHashMap<>();
        for (Map.Entry<Long, List<String>> tablet : tablets.entrySet()) {
            String chosen =
                    tablet.getValue().stream()
                            .sorted()
                            .min(
                                    Comparator.comparingInt(
                                            backend ->
                                                    byBackend
                                                            .getOrDefault(backend, List.of())
                                                            .size()))
                            .orElse(NO_BACKEND);
            byBackend.computeIfAbsent(chosen, backend -> new ArrayList<>()).add(tablet.getKey());
        }
        return byBackend;
    }

    private static DorisSplit split(
            TableIdentifier table,
            String backend,
            List<Long> members,
            Map<Long, List<String>> backendsOf,
            OptionalLong fenceMillis) {
        long[] tablets = members.stream().mapToLong(Long::longValue).toArray();
        Set<String> shared = new LinkedHashSet<>();
        if (!backend.equals(NO_BACKEND)) {
            shared.add(backend);
            shared.addAll(backendsOf.get(tablets[0]));
            for (long tablet : tablets) {
                shared.retainAll(backendsOf.get(tablet));
            }
        }
        return DorisSplit.snapshot(
                id(table, tablets), tablets, new ArrayList<>(shared), fenceMillis);
    }

    /** Readable start, and a hash over table and tablets that makes the id unique. */
    private static String id(TableIdentifier table, long[] tablets) {
        ByteBuffer numbers = ByteBuffer.allocate(tablets.length * Long.BYTES);
        for (long tablet : tablets) {
            numbers.putLong(tablet);
        }
        MessageDigest sha256;
        try {
            sha256 = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-256.", e);
        }
        sha256.update(table.toString().getBytes(StandardCharsets.UTF_8));
        sha256.update((byte) 0);
        byte[] hash = sha256.digest(numbers.array());
        StringBuilder id =
                new StringBuilder(table.toString())
                        .append('/')
                        .append(tablets[0])
                        .append('x')
                        .append(tablets.length)
                        .append('-');
        for (byte b : Arrays.copyOf(hash, ID_HASH_BYTES)) {
            id.append(String.format("%02x", b));
        }
        return id.toString();
    }
}
