package org.apache.doris.flink.chaos.changelog;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Compares what a job has received with the server's log, record by record, and its materialised
 * result with the table, row by row.
 */
final class ChangeComparison {

    private static final int SHOWN = 20;

    private final List<Change> received;
    private final List<String> findings = new ArrayList<>();
    private long missing;
    private long doubled;
    private long wrong;
    private long behind;

    /** What was received, in the order of its arrival per key. */
    ChangeComparison(List<Change> received) {
        this.received = received;
    }

    /** Changes or rows that should have come and did not. */
    long missing() {
        return missing;
    }

    /** Changes that came again. */
    long doubled() {
        return doubled;
    }

    /** Changes that the log does not have, or not so; rows of the result that the table has not. */
    long wrong() {
        return wrong;
    }

    /** Rows of the result that may be wrong only because changes are still under way. */
    long behind() {
        return behind;
    }

    boolean isExact() {
        return missing + doubled + wrong == 0;
    }

    /** The first of them, in words. */
    List<String> findings() {
        return findings;
    }

    /** Every record of the log came once, with its values, and a key's in their order. */
    ChangeComparison records(List<Change> log) {
        Map<String, Change> expected = new LinkedHashMap<>();
        for (Change change : log) {
            // Rows of a Duplicate table may have the same key and the same stamp.
            expected.put(change.identity(), change);
        }
        Map<String, Integer> seen = new HashMap<>();
        Map<String, Change> last = new HashMap<>();
        for (Change change : received) {
            if (change.tso == null) {
                continue;
            }
            Change logged = expected.get(change.identity());
            if (!change.equals(logged)) {
                wrong++;
                find("wrong", change + (logged == null ? ", not in the log" : " is " + logged));
            } else if (seen.merge(change.identity(), 1, Integer::sum) > 1) {
                doubled++;
                find("doubled", change.toString());
            } else {
                Change before = last.put(change.key(), change);
                if (before != null && before.compareTo(change) > 0) {
                    wrong++;
                    find("wrong", change + " came after " + before);
                }
            }
        }
        expected.forEach(
                (identity, change) -> {
                    if (!seen.containsKey(identity)) {
                        missing++;
                        find("missing", change.toString());
                    }
                });
        return this;
    }

    /**
     * Inserts, updates and deletes together give the table.
     *
     * @param dropped partition → last stamp before it was dropped, with all of its rows
     */
    ChangeComparison result(List<List<String>> table, Map<Integer, Long> dropped) {
        Map<String, Change> result = new HashMap<>();
        for (Change change : received) {
            if (change.operation.startsWith("+")) {
                result.put(change.key(), change);
            } else if (change.operation.equals("-D")) {
                result.remove(change.key());
            }
        }
        result.values().removeIf(change -> isDropped(change, dropped));
        for (List<String> row : table) {
            String key = row.get(0) + "/" + row.get(1);
            Change last = result.remove(key);
            if (last == null) {
                missing++;
                find("missing", "row " + row + " of the table");
            } else if (!last.row.equals(row)) {
                wrong++;
                behind++;
                find("wrong", "row " + row + " of the table is " + last);
            }
        }
        for (Change left : result.values()) {
            wrong++;
            behind++;
            find("wrong", left + " left a row that the table has not");
        }
        return this;
    }

    /** Every row of a table without keys came at least once. */
    ChangeComparison atLeastOnce(List<List<String>> table) {
        Map<List<String>, Integer> came = new HashMap<>();
        received.forEach(change -> came.merge(change.row, 1, Integer::sum));
        for (List<String> row : table) {
            if (came.merge(row, -1, Integer::sum) < 0) {
                missing++;
                find("missing", "row " + row + " of the table");
            }
        }
        return this;
    }

    /** A row of the content was read before its partition was dropped: it has no stamp. */
    private static boolean isDropped(Change change, Map<Integer, Long> dropped) {
        Long last = dropped.get(change.partition());
        return last != null && (change.tso == null || change.tso <= last);
    }

    private void find(String what, String where) {
        if (findings.size() < SHOWN) {
            findings.add(what + ": " + where);
        }
    }
}
