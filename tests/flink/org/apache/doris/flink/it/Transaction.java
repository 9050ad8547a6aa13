package org.apache.doris.flink.it;

import java.util.Map;
import java.util.Set;

/** A load's transaction, as the stand-in server's table of transactions shows it. */
public final class Transaction {

    private static final Set<String> FINISHED = Set.of("VISIBLE", "ABORTED");

    private final Map<String, Object> entry;

    Transaction(Map<String, Object> entry) {
        this.entry = entry;
    }

    /** Number by which it is committed. */
    public long id() {
        return (Long) entry.get("id");
    }

    /** Label that its client chose. */
    public String label() {
        return (String) entry.get("label");
    }

    /**
     * {@code PREPARE}, {@code PRECOMMITTED}, {@code COMMITTED}, {@code VISIBLE}, {@code ABORTED}.
     */
    public String state() {
        return (String) entry.get("state");
    }

    /** When it was pre-committed, in milliseconds of the server's clock; 0 when it was not. */
    public long precommitted() {
        Object millis = entry.get("precommitted");
        return millis == null ? 0 : (Long) millis;
    }

    /** Whether nothing can become of it any more. */
    public boolean isFinished() {
        return FINISHED.contains(state());
    }

    @Override
    public String toString() {
        return entry.toString();
    }
}
