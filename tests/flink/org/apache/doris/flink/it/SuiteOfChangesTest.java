package org.apache.doris.flink.it;

import org.apache.flink.connector.testframe.external.ExternalContextFactory;
import org.apache.flink.connector.testframe.junit.annotations.TestContext;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Flink's suite for sources on a Duplicate table: its content, and its changes from a time on.
 * Changes are held to the suite's order: those of a key come in the order of their commits.
 */
@Timeout(120)
class SuiteOfChangesTest extends SuiteOfSource {

    @RegisterExtension static final Standin DORIS = Standin.with("--backends", "2");

    @TestContext
    final ExternalContextFactory<SuiteSourceTable> table =
            test -> SuiteSourceTable.duplicate(DORIS);

    @Override
    boolean isOrdered(boolean bounded) {
        return !bounded;
    }
}
