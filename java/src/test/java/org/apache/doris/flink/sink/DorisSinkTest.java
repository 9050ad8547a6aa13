package org.apache.doris.flink.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.config.SinkConfig;
import org.apache.doris.flink.config.plan.SinkPlan;
import org.apache.doris.flink.sink.committer.DorisCommittableSerializer;
import org.apache.doris.flink.sink.writer.WriterStateSerializer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.streaming.api.graph.StreamNode;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/** The sink as a part of a job that is put together. */
class DorisSinkTest {

    private static final RowType TYPE = RowType.of(new BigIntType());

    private static SinkConfig config(RowType declared) {
        Map<String, String> options =
                Map.of("fenodes", "127.0.0.1:8030", "table.identifier", "test.t");
        return declared == null
                ? SinkPlan.ofBytes(options, "UTC").config()
                : SinkPlan.ofRows(options, declared, "UTC").config();
    }

    private static DataStream<RowData> rows(StreamExecutionEnvironment environment) {
        return environment
                .fromSequence(1, 2)
                .map(number -> (RowData) GenericRowData.of(number))
                .returns(InternalTypeInfo.of(TYPE))
                .name("rows");
    }

    @Test
    void itAddsAWriterAndACommitterAndNothingElse() {
        Configuration configuration = new Configuration();
        configuration.setString("execution.checkpointing.interval", "7 s");
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        environment.setParallelism(1);
        rows(environment).sinkTo(DorisSink.rowData(config(TYPE))).name("doris");
        StreamGraph graph = environment.getStreamGraph();
        assertThat(
                        graph.getStreamNodes().stream()
                                .map(StreamNode::getOperatorName)
                                .filter(name -> name.startsWith("doris"))
                                .collect(Collectors.toList()))
                .containsExactlyInAnyOrder("doris: Writer", "doris: Committer");
    }

    @Test
    void whatItLearnsOfTheCheckpointsTravelsWithIt() throws Exception {
        DorisSink<RowData> sink = DorisSink.rowData(config(TYPE));
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment();
        environment.enableCheckpointing(5000);
        environment.getCheckpointConfig().setCheckpointTimeout(60_000);
        assertThat(sink.addPreWriteTopology(rows(environment)).getTransformation().getName())
                .isEqualTo("rows");
        DorisSink<RowData> copy = InstantiationUtil.clone(sink);
        assertThat(copy.checkpoints().answerTimeout(OptionalLong.empty()))
                .isEqualTo(Duration.ofSeconds(30));
        assertThat(copy.toString()).doesNotContain("password");
    }

    @Test
    void itsStateHasAFormatOfItsOwn() {
        DorisSink<RowData> sink = DorisSink.rowData(config(TYPE));
        assertThat(sink.getWriterStateSerializer()).isSameAs(WriterStateSerializer.INSTANCE);
        assertThat(sink.getCommittableSerializer()).isSameAs(DorisCommittableSerializer.INSTANCE);
    }

    @Test
    void rowsNeedTheirColumns() {
        assertThatThrownBy(() -> DorisSink.rowData(config(null)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
