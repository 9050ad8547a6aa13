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

/** The suite that Flink holds the sinks of its connectors to, with two-phase commit. */
@Timeout(120)
class SuiteOfSinkExactlyOnceTest extends SinkTestSuiteBase<String> {

    @RegisterExtension static final Standin DORIS = Standin.with("--backends", "2");

    @TestEnv final MiniClusterTestEnvironment environment = new MiniClusterTestEnvironment();

    @TestSemantics
    final CheckpointingMode[] semantics = new CheckpointingMode[] {CheckpointingMode.EXACTLY_ONCE};

    @TestContext
    final ExternalContextFactory<SuiteSinkTable> table =
            test -> new SuiteSinkTable(DORIS, SuiteSinkTable.Way.TWO_PHASE);
}
