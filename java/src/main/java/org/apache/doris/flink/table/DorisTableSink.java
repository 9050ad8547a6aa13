package org.apache.doris.flink.table;

import org.apache.doris.flink.config.SinkConfig;
import org.apache.doris.flink.config.plan.SinkPlan;
import org.apache.doris.flink.config.plan.TargetColumns;
import org.apache.doris.flink.config.rule.OverwriteRules;
import org.apache.doris.flink.sink.DorisSink;
import org.apache.doris.flink.sink.OverwriteSink;
import org.apache.doris.flink.sink.writer.UnorderedChanges;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.sink.SinkV2Provider;
import org.apache.flink.table.connector.sink.abilities.SupportsOverwrite;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A Doris table as the planner sees it in {@code INSERT INTO}. A copy shares nothing that changes
 * but whether the warnings were logged.
 */
final class DorisTableSink implements DynamicTableSink, SupportsOverwrite {

    private static final Logger LOG = LoggerFactory.getLogger(DorisTableSink.class);

    private final SinkPlan plan;
    private final boolean keyed;
    private final Integer defaultParallelism;
    private final AtomicBoolean warned;

    /** What the planner requested: newer versions of Flink also try all kinds in any case. */
    private boolean askedForChanges;

    private boolean askedForInserts;
    private boolean overwrite;

    /**
     * @param keyed whether a primary key is declared
     * @param defaultParallelism of the job, or null where it is not known
     */
    DorisTableSink(SinkPlan plan, boolean keyed, Integer defaultParallelism) {
        this(plan, keyed, defaultParallelism, new AtomicBoolean());
    }

    private DorisTableSink(
            SinkPlan plan, boolean keyed, Integer defaultParallelism, AtomicBoolean warned) {
        this.plan = plan;
        this.keyed = keyed;
        this.defaultParallelism = defaultParallelism;
        this.warned = warned;
    }

    /**
     * All kinds of rows; {@code -U} only if the user wants it, since a row with the same key
     * follows it as a rule. It still comes where the planner cannot do without, as after a filter,
     * and is then a delete like others. Deletes are requested with all columns: those of Doris that
     * are not nullable take part in a delete, too. Input that only inserts stays that: as an
     * upsert, newer versions of Flink require a clause for conflicts of keys.
     */
    @Override
    public ChangelogMode getChangelogMode(ChangelogMode requestedMode) {
        if (requestedMode.containsOnly(RowKind.INSERT)) {
            askedForInserts = true;
            return ChangelogMode.insertOnly();
        }
        askedForChanges = true;
        ChangelogMode.Builder mode =
                ChangelogMode.newBuilder()
                        .addContainedKind(RowKind.INSERT)
                        .addContainedKind(RowKind.UPDATE_AFTER)
                        .addContainedKind(RowKind.DELETE);
        if (!plan.config().write().ignoreUpdateBefore()) {
            mode.addContainedKind(RowKind.UPDATE_BEFORE);
        }
        return mode.build();
    }

    @Override
    public SinkRuntimeProvider getSinkRuntimeProvider(Context context) {
        boolean unordered = askedForChanges && !askedForInserts && !keyed;
        int[] named = namedColumns(context);
        SinkConfig config = unordered ? plan.config().unordered() : plan.config();
        if (overwrite) {
            OverwriteRules.checkBounded(config, context.isBounded());
        }
        // The planner calls this several times.
        if (warned.compareAndSet(false, true)) {
            List<String> warnings = new ArrayList<>(plan.warnings());
            if (unordered && mayBeParallel()) {
                warnings.add(UnorderedChanges.warning(plan.config().connection().table()));
            }
            if (named != null && !config.write().keepsOtherColumns()) {
                warnings.add(TargetColumns.warning(config, named));
            }
            warnings.forEach(
                    warning ->
                            LOG.warn("Table {}: {}", plan.config().connection().table(), warning));
        }
        if (named != null && config.write().partialColumns()) {
            config = TargetColumns.only(config, named);
        }
        Sink<RowData> sink = overwrite ? OverwriteSink.of(config) : DorisSink.rowData(config);
        return SinkV2Provider.of(sink, plan.parallelism());
    }

    /** Positions of the columns that the INSERT names; null when it names none, or all of them. */
    private int[] namedColumns(Context context) {
        int all = plan.config().declared().orElseThrow().getFieldCount();
        return context.getTargetColumns()
                .map(TargetColumns::positions)
                .filter(named -> named.length < all)
                .orElse(null);
    }

    private boolean mayBeParallel() {
        Integer parallelism = plan.parallelism() == null ? defaultParallelism : plan.parallelism();
        return parallelism == null || parallelism != 1;
    }

    /** Nothing but a note and a check: what is planned is not always run. */
    @Override
    public void applyOverwrite(boolean overwrite) {
        this.overwrite = overwrite;
        if (overwrite) {
            OverwriteRules.check(plan.config());
        }
    }

    @Override
    public DynamicTableSink copy() {
        DorisTableSink copy = new DorisTableSink(plan, keyed, defaultParallelism, warned);
        copy.askedForChanges = askedForChanges;
        copy.askedForInserts = askedForInserts;
        copy.overwrite = overwrite;
        return copy;
    }

    @Override
    public String asSummaryString() {
        return "Doris[" + plan.config().connection().table() + "]";
    }

    /** What the table was planned to be. */
    SinkPlan plan() {
        return plan;
    }
}
