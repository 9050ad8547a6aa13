package org.apache.doris.flink.it;

import org.apache.flink.connector.testframe.environment.MiniClusterTestEnvironment;
import org.apache.flink.connector.testframe.junit.annotations.TestEnv;
import org.apache.flink.connector.testframe.junit.annotations.TestSemantics;
import org.apache.flink.connector.testframe.testsuites.SourceTestSuiteBase;
import org.apache.flink.connector.testframe.utils.CollectIteratorAssertions;
import org.apache.flink.core.execution.CheckpointingMode;
import org.apache.flink.util.CloseableIterator;

import java.util.List;

/**
 * The suite that Flink holds the sources of its connectors to. One thing that it takes for granted
 * Doris does not promise: an order of the rows of a snapshot. Where it does not, {@link
 * #checkWithoutOrder} asserts what is promised: all rows, each once, and no others.
 */
abstract class SuiteOfSource extends SourceTestSuiteBase<String> {

    @TestEnv final MiniClusterTestEnvironment environment = new MiniClusterTestEnvironment();

    @TestSemantics
    final CheckpointingMode[] semantics = new CheckpointingMode[] {CheckpointingMode.EXACTLY_ONCE};

    /** A limit comes from cases with an unbounded source, which ask for no more rows than that. */
    @Override
    protected void checkResultWithSemantic(
            CloseableIterator<String> rows,
            List<List<String>> written,
            CheckpointingMode semantic,
            Integer limit) {
        if (isOrdered(limit == null)) {
            super.checkResultWithSemantic(rows, written, semantic, limit);
        } else {
            checkWithoutOrder(rows, written, semantic, limit);
        }
    }

    /** Whether a source has an order within each of the suite's splits. */
    abstract boolean isOrdered(boolean bounded);

    private static void checkWithoutOrder(
            CloseableIterator<String> rows,
            List<List<String>> written,
            CheckpointingMode semantic,
            Integer limit) {
        var assertion = CollectIteratorAssertions.assertUnordered(rows);
        if (limit != null) {
            assertion.withNumRecordsLimit(limit);
        }
        assertion.matchesRecordsFromSource(written, semantic);
    }
}
