package org.apache.doris.flink.chaos.changelog;

import org.apache.doris.flink.chaos.job.ChangeLine;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** One change: of the server's log, or as it arrived; or a row of the content, without a TSO. */
final class Change {

    private static final List<String> OPERATIONS = List.of("+I", "-D", "-U", "+U");

    /** {@code +I}, {@code -D}, {@code -U} or {@code +U}. */
    final String operation;

    /** Columns k, p, n, v; null for NULL. */
    final List<String> row;

    /** Stamp of its transaction; null for a row of the content. */
    final Long tso;

    /** Number within its tablet; null for a row of the content. */
    final Long lsn;

    private Change(String operation, List<String> row, Long tso, Long lsn) {
        this.operation = operation;
        this.row = row;
        this.tso = tso;
        this.lsn = lsn;
    }

    /** From a row of the log: k, p, n, v, code of the operation, TSO, LSN. */
    static Change logged(List<String> fields) {
        return new Change(
                OPERATIONS.get(Integer.parseInt(fields.get(4))),
                columns(fields),
                Long.valueOf(fields.get(5)),
                Long.valueOf(fields.get(6)));
    }

    /** From a line that the job kept: kind, k, p, n, v, operation, TSO, LSN. */
    static Change received(String line) {
        List<String> fields = ChangeLine.parse(line);
        String kind = fields.get(0);
        String operation = fields.get(5) == null ? kind : fields.get(5);
        // An update without the row before it is an insert for Flink.
        boolean alone = operation.equals("+U") && kind.equals("+I");
        if (!operation.equals(kind) && !alone) {
            throw new IllegalArgumentException("kind and operation differ: " + line);
        }
        return new Change(
                operation,
                columns(fields.subList(1, 5)),
                number(fields.get(6)),
                number(fields.get(7)));
    }

    /** Key columns as text. */
    String key() {
        return row.get(0) + "/" + row.get(1);
    }

    /** Value of column p. */
    int partition() {
        return Integer.parseInt(row.get(1));
    }

    /** What tells it from every other change. */
    String identity() {
        return tso + "/" + lsn + "/" + operation + "/" + key();
    }

    /** Where it stands in the order of its key. */
    int compareTo(Change other) {
        int byTso = tso.compareTo(other.tso);
        int byLsn = byTso != 0 ? byTso : lsn.compareTo(other.lsn);
        return byLsn != 0
                ? byLsn
                : OPERATIONS.indexOf(operation) - OPERATIONS.indexOf(other.operation);
    }

    private static List<String> columns(List<String> fields) {
        return Arrays.asList(fields.subList(0, 4).toArray(new String[0]));
    }

    private static Long number(String field) {
        return field == null ? null : Long.valueOf(field);
    }

    @Override
    public boolean equals(Object object) {
        if (!(object instanceof Change)) {
            return false;
        }
        Change other = (Change) object;
        return operation.equals(other.operation)
                && row.equals(other.row)
                && Objects.equals(tso, other.tso)
                && Objects.equals(lsn, other.lsn);
    }

    @Override
    public int hashCode() {
        return Objects.hash(tso, lsn, operation, row);
    }

    @Override
    public String toString() {
        return operation + " " + row + " tso " + tso + " lsn " + lsn;
    }
}
