package org.apache.doris.flink.sink.writer;

import org.apache.doris.flink.config.SinkConfig;
import org.apache.doris.flink.sink.transaction.CheckpointPlan;
import org.apache.doris.flink.sink.transaction.Faults;
import org.apache.doris.flink.sink.transaction.LabelState;
import org.apache.doris.flink.sink.transaction.Transactions;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;

/** The Doris that a job of a test writes to: one in memory, or a server. */
interface World {

    /** Options of a sink that writes to it. */
    Map<String, String> options();

    /** The client of one writer, its calls broken by the faults. */
    LoadClient client(SinkConfig config, CheckpointPlan checkpoints) throws IOException;

    /** Transactions for committers and for the test itself, broken by the faults. */
    Transactions transactions();

    /** Clocks that follow the server's. */
    SinkClock clock();

    /** Rows of a table of the test's database, sorted or in the order of their versions. */
    List<String> rows(String table);

    /** Labels in a state, in the order of their transactions. */
    List<String> labels(LabelState state);

    /** Lets time pass. */
    void advance(Duration time);

    /** Forgets the labels of ended loads. */
    void purge();

    /** Breaks calls. */
    Faults.Fault fault(BiPredicate<String, String> matches);

    /** Ends all faults. */
    void heal();
}
