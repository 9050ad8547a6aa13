package org.apache.doris.flink.sink.writer;

import java.io.IOException;
import java.util.Map;
import java.util.OptionalLong;

/** The final answer to a load that succeeded. A figure that the answer lacks is absent. */
final class LoadOutcome {

    private final Map<String, String> values;

    /**
     * @param values as they cross the boundary: docs/boundary.md, Loads
     */
    public LoadOutcome(Map<String, String> values) {
        this.values = Map.copyOf(values);
    }

    /** The label under which the rows were loaded; with group commit the server's own. */
    public String label() {
        return values.getOrDefault("label", "");
    }

    /** The transaction; empty when the answer named none. */
    public OptionalLong txnId() throws IOException {
        OptionalLong id = number("txn.id");
        return id.isPresent() && id.getAsLong() >= 0 ? id : OptionalLong.empty();
    }

    /** The first number that no attempt of the load used. */
    public long next() throws IOException {
        return number("next")
                .orElseThrow(() -> new IOException("A load ended without its label number."));
    }

    /** Rows that were sent. */
    public long rows() throws IOException {
        return number("rows").orElse(0);
    }

    /** Bytes that went over the network, compressed. */
    public long sentBytes() throws IOException {
        return number("sent.bytes").orElse(0);
    }

    /** How often the rows were sent again. */
    public long retries() throws IOException {
        return number("retries").orElse(0);
    }

    /** Labels that were used but are not the one of the rows. */
    public String[] skipped() throws IOException {
        String[] labels = new String[(int) number("skipped.count").orElse(0)];
        for (int i = 0; i < labels.length; i++) {
            labels[i] = values.get("skipped." + i);
            if (labels[i] == null) {
                throw new IOException(
                        "A load named " + labels.length + " skipped labels, not all.");
            }
        }
        return labels;
    }

    /** A figure by its name. */
    public OptionalLong number(String name) throws IOException {
        String value = values.get(name);
        if (value == null || value.isEmpty()) {
            return OptionalLong.empty();
        }
        try {
            return OptionalLong.of(Long.parseLong(value));
        } catch (NumberFormatException e) {
            throw new IOException("A load ended with '" + value + "' for " + name + ".", e);
        }
    }

    @Override
    public String toString() {
        return "LoadOutcome" + values;
    }
}
