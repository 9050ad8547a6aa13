package org.apache.doris.flink.it;

import org.apache.flink.connector.testframe.environment.MiniClusterTestEnvironment;
import org.apache.flink.connector.testframe.external.ExternalContextFactory;
import org.apache.flink.connector.testframe.junit.annotations.TestContext;
import org.apache.flink.connector.testframe.junit.annotations.TestEnv;
import org.apache.flink.connector.testframe.junit.annotations.TestSemantics;
import org.apache.flink.connector.testframe.testsuites.SinkTestSuiteBase;
import org.apache.flink.core.execution.CheckpointingMode;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The suite that Flink holds the sinks of its connectors to, without two-phase commit and in batch
 * mode.
 */
@Timeout(120)
class SuiteOfSinkAtLeastOnceTest extends SinkTestSuiteBase<String> {

    @RegisterExtension static final Standin DORIS = Standin.with("--backends", "2");

    @TestEnv final MiniClusterTestEnvironment environment = new MiniClusterTestEnvironment();

    @TestSemantics
    final CheckpointingMode[] semantics = new CheckpointingMode[] {CheckpointingMode.AT_LEAST_ONCE};

    @TestContext
    final ExternalContextFactory<SuiteSinkTable> onePhase =
            test -> new SuiteSinkTable(DORIS, SuiteSinkTable.Way.ONE_PHASE);

    @TestContext
    final ExternalContextFactory<SuiteSinkTable> batch =
            test -> new SuiteSinkTable(DORIS, SuiteSinkTable.Way.BATCH);
}
