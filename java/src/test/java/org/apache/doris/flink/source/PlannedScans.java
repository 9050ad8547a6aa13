package org.apache.doris.flink.source;

import org.apache.doris.flink.config.ScanConfig;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.transformations.SourceTransformation;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Lets the real planner plan a query and shows what became of its Doris scans. */
public final class PlannedScans {

    private final StreamExecutionEnvironment environment =
            StreamExecutionEnvironment.createLocalEnvironment(1);
    private final StreamTableEnvironment tables;

    /** A fresh environment in streaming mode. */
    public PlannedScans() {
        this(EnvironmentSettings.inStreamingMode());
    }

    /** A fresh environment. */
    public PlannedScans(EnvironmentSettings settings) {
        tables = StreamTableEnvironment.create(environment, settings);
    }

    /** The environment, for DDL and settings. */
    public StreamTableEnvironment tables() {
        return tables;
    }

    /** The environment that statements become jobs of. */
    public StreamExecutionEnvironment environment() {
        return environment;
    }

    /** Declares a Doris table. */
    public PlannedScans declare(String name, String columns, String... options) {
        StringBuilder with = new StringBuilder();
        for (int i = 0; i < options.length; i += 2) {
            with.append(String.format(", '%s' = '%s'", options[i], options[i + 1]));
        }
        tables.executeSql(
                String.format(
                        "CREATE TEMPORARY TABLE %s (%s) WITH ('connector' = 'doris', 'fenodes' ="
                                + " '127.0.0.1:8030', 'table.identifier' = 'test.%s'%s)",
                        name, columns, name, with));
        return this;
    }

    /** The scans of a query, in the order of their filters. */
    public List<ScanConfig> of(String query) {
        List<ScanConfig> scans = new ArrayList<>();
        sources(query).forEach(source -> scans.add(((DorisSource<?>) source.getSource()).scan()));
        scans.sort(Comparator.comparing(ScanConfig::filter));
        return scans;
    }

    /** Parallelism of the one scan of a query. */
    public int parallelism(String query) {
        return sources(query).get(0).getParallelism();
    }

    /** Group in which the watermarks of the one scan of a query are aligned. */
    public String alignmentGroup(String query) {
        return sources(query)
                .get(0)
                .getWatermarkStrategy()
                .getAlignmentParameters()
                .getWatermarkGroup();
    }

    private List<SourceTransformation<?, ?, ?>> sources(String query) {
        List<SourceTransformation<?, ?, ?>> sources = new ArrayList<>();
        Transformation<Row> root =
                tables.toChangelogStream(tables.sqlQuery(query)).getTransformation();
        for (Transformation<?> transformation : root.getTransitivePredecessors()) {
            if (transformation instanceof SourceTransformation
                    && ((SourceTransformation<?, ?, ?>) transformation).getSource()
                            instanceof DorisSource) {
                sources.add((SourceTransformation<?, ?, ?>) transformation);
            }
        }
        return sources;
    }

    /** The plan of a query. */
    public String explain(String query) {
        return tables.explainSql(query);
    }
}
