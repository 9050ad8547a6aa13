package doris.connector.cdc;

import org.apache.doris.flink.cfg.DorisExecutionOptions;
import org.apache.doris.flink.cfg.DorisOptions;
import org.apache.doris.flink.cfg.DorisReadOptions;
import org.apache.doris.flink.sink.DorisSink;
import org.apache.doris.flink.sink.writer.serializer.JsonDebeziumSchemaSerializer;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.cdc.connectors.postgres.source.PostgresSourceBuilder;
import org.apache.flink.cdc.debezium.JsonDebeziumDeserializationSchema;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

import java.util.Arrays;
import java.util.Properties;

/**
 * All tables of a PostgreSQL schema into those of the same names in Doris, as Debezium records.
 *
 * <p>Arguments: port of PostgreSQL, {@code fenodes}, tables of the schema with commas between them.
 */
public final class DebeziumJob {

    private DebeziumJob() {}

    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.enableCheckpointing(1_000);
        // Changes of one key must not overtake each other.
        env.setParallelism(1);
        String[] tables =
                Arrays.stream(args[2].split(",")).map("public."::concat).toArray(String[]::new);
        PostgresSourceBuilder.PostgresIncrementalSource<String> source =
                PostgresSourceBuilder.PostgresIncrementalSource.<String>builder()
                        .hostname("127.0.0.1")
                        .port(Integer.parseInt(args[0]))
                        .database("shop")
                        .schemaList("public")
                        .tableList(tables)
                        .username("flink")
                        .password("secret")
                        .slotName("to_doris")
                        .decodingPluginName("pgoutput")
                        .splitSize(500)
                        // With the schema of each record, which tells what its numbers mean.
                        .deserializer(new JsonDebeziumDeserializationSchema(true))
                        .build();
        // Instants become the wall clock of this zone.
        Properties load = DorisExecutionOptions.defaultsProperties();
        load.setProperty("timezone", "America/New_York");
        DorisSink<String> sink =
                DorisSink.<String>builder()
                        .setDorisOptions(
                                DorisOptions.builder()
                                        .setFenodes(args[1])
                                        .setUsername("root")
                                        .setPassword("")
                                        .build())
                        .setDorisReadOptions(DorisReadOptions.builder().build())
                        .setDorisExecutionOptions(
                                DorisExecutionOptions.builderDefaults()
                                        .setLabelPrefix("shop_to_doris")
                                        .setStreamLoadProp(load)
                                        .build())
                        .setSerializer(
                                JsonDebeziumSchemaSerializer.builder()
                                        .setTargetDatabase("test")
                                        .build())
                        .build();
        env.fromSource(source, WatermarkStrategy.noWatermarks(), "PostgreSQL").sinkTo(sink);
        env.execute("shop to Doris");
    }
}
