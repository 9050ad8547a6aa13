package org.apache.doris.flink.it;

import org.apache.flink.connector.testframe.external.ExternalContextFactory;
import org.apache.flink.connector.testframe.junit.annotations.TestContext;
import org.apache.flink.core.execution.CheckpointingMode;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.util.List;

/**
 * Flink's suite for sources on a Unique table: its content, and its content followed by its
 * changes. The rows of one of the suite's splits have keys of their own, so that neither has an
 * order.
 */
@Timeout(120)
class SuiteOfInitialTest extends SuiteOfSource {

    @RegisterExtension static final Standin DORIS = Standin.with("--backends", "2");

    private SuiteSourceTable current;

    @TestContext
    final ExternalContextFactory<SuiteSourceTable> table =
            test -> current = SuiteSourceTable.unique(DORIS);

    @Override
    boolean isOrdered(boolean bounded) {
        return false;
    }

    /**
     * A split of the content that is under way at a checkpoint is read again. So what the suite
     * does next to the job it does when a checkpoint covers the content: then changes begin.
     */
    @Override
    protected void checkResultWithSemantic(
            CloseableIterator<String> rows,
            List<List<String>> written,
            CheckpointingMode semantic,
            Integer limit) {
        super.checkResultWithSemantic(rows, written, semantic, limit);
        if (limit != null) {
            current.awaitWindow();
        }
    }
}
