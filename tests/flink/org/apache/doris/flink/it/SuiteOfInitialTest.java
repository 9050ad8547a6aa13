package org.apache.doris.flink.it;

import org.apache.flink.connector.testframe.external.ExternalContextFactory;
import org.apache.flink.connector.testframe.junit.annotations.TestContext;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Flink's suite for sources on a Unique table: its content, and its content followed by its
 * changes. The rows of one of the suite's splits have keys of their own, so that neither has an
 * order.
 */
@Timeout(90)
class SuiteOfInitialTest extends SuiteOfSource {

    @RegisterExtension static final Standin DORIS = Standin.with("--backends", "2");

    @TestContext
    final ExternalContextFactory<SuiteSourceTable> table = test -> SuiteSourceTable.unique(DORIS);

    @Override
    boolean isOrdered(boolean bounded) {
        return false;
    }
}
