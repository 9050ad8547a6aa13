package org.apache.doris.flink.sink.writer;

import org.apache.doris.flink.config.SinkConfig;
import org.apache.doris.flink.config.TableIdentifier;
import org.apache.doris.flink.jni.NativeLog;
import org.apache.doris.flink.sink.committer.Abandoned;
import org.apache.doris.flink.sink.committer.DorisCommittable;
import org.apache.doris.flink.sink.transaction.CheckpointPlan;
import org.apache.doris.flink.sink.transaction.Label;
import org.apache.doris.flink.sink.transaction.Pause;
import org.apache.doris.flink.sink.writer.serializer.DorisRecordSerializer;
import org.apache.doris.flink.sink.writer.serializer.RowSerializer;
import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.api.common.operators.ProcessingTimeService;
import org.apache.flink.api.connector.sink2.CommittingSinkWriter;
import org.apache.flink.api.connector.sink2.StatefulSinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.table.data.RowData;
import org.apache.flink.util.IOUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;

/**
 * Writes one subtask's rows: streams them into one load per table, pre-commits the loads when a
 * checkpoint begins and hands the transactions to the committer. In batch mode loads end whenever
 * they are large or old enough, and a checkpoint waits until all rows before it were taken.
 * Everything runs on the task thread, which waits only for a place in a buffer and, at a
 * checkpoint, for outcomes.
 *
 * @see org.apache.doris.flink.sink.committer.DorisCommitter
 */
@Internal
public final class DorisWriter<IN>
        implements StatefulSinkWriter<IN, WriterState>, CommittingSinkWriter<IN, DorisCommittable> {

    private static final Logger LOG = LoggerFactory.getLogger(DorisWriter.class);

    /** How long rows of a slow stream wait for more before they are sent. */
    private static final Duration TRICKLE = Duration.ofSeconds(1);

    /** Time between two looks at the loads of batch mode, which end and fail by themselves. */
    private static final Duration POLL = Duration.ofMillis(200);

    /** Mails taken between two slices of a wait, so that the wait itself goes on. */
    private static final int MAILS_PER_PAUSE = 16;

    private final SinkConfig config;
    private final WriterIdentity identity;
    private final SinkClock clock;
    private final LoadClient client;
    private final MailboxExecutor mailbox;
    private final ProcessingTimeService timers;
    private final LingeringLoads lingering;
    private final PrecommitWatch watch;
    private final TableLoads loads;
    private final RecordInput<IN> input;
    private final Duration trickle;

    private List<WriterState> inherited = List.of();
    private Abandoned vanished = Abandoned.NONE;
    private boolean closed;

    /** Whether a checkpoint of the job may be complete, which the end of the job could cost. */
    private boolean checkpointed;

    /** When the loads were looked at last. */
    private long polled;

    /** Whether the task is inside the writer: a timer among the mails of a wait must not be. */
    private boolean inside;

    private DorisWriter(
            SinkConfig config,
            WriterIdentity identity,
            SinkClock clock,
            LoadClient client,
            RecordInput.Factory<IN> inputs,
            WriterInitContext context,
            Collection<WriterState> restored) {
        this.config = config;
        this.identity = identity;
        this.clock = clock;
        this.client = client;
        this.checkpointed = context.getRestoredCheckpointId().isPresent();
        this.mailbox = context.getMailboxExecutor();
        this.timers = context.getProcessingTimeService();
        boolean twoPhase = config.write().twoPhase();
        this.lingering =
                twoPhase
                        ? new LingeringLoads(
                                identity,
                                !config.isPrefixDrawn(),
                                restored,
                                client.transactions(),
                                clock.wallMillis())
                        : null;
        this.watch =
                twoPhase
                        ? new PrecommitWatch(
                                client.transactions(), clock, config.write().precommitTimeout())
                        : null;
        boolean batch = config.write().batch();
        WriterMetrics metrics = new WriterMetrics(context.metricGroup(), client::metrics, batch);
        this.loads = new TableLoads(identity, client, lingering, batch, metrics);
        this.polled = clock.nanos();
        this.trickle = batch ? batchTrickle(config.write().batchInterval()) : TRICKLE;
        this.input = inputs.create(loads, metrics);
    }

    /**
     * A writer on the native core; looks for what earlier attempts left behind before it returns.
     *
     * @param serializer of the user; null for internal rows, whose columns the configuration
     *     declares
     */
    public static <T> DorisWriter<T> create(
            SinkConfig config,
            CheckpointPlan checkpoints,
            DorisRecordSerializer<T> serializer,
            WriterInitContext context,
            Collection<WriterState> restored)
            throws IOException {
        return create(
                config,
                checkpoints,
                () -> NativeLoadClient.open(config, checkpoints),
                inputs(
                        config,
                        checkpoints,
                        serializer,
                        context.getTaskInfo().getIndexOfThisSubtask()),
                SinkClock.SYSTEM,
                context,
                restored);
    }

    static <T> DorisWriter<T> create(
            SinkConfig config,
            CheckpointPlan checkpoints,
            LoadClient.Factory clients,
            RecordInput.Factory<T> inputs,
            SinkClock clock,
            WriterInitContext context,
            Collection<WriterState> restored)
            throws IOException {
        int subtask = context.getTaskInfo().getIndexOfThisSubtask();
        if (subtask == 0) {
            checkpoints.errors(config).forEach(error -> LOG.error("Sink to Doris: {}", error));
            checkpoints.warnings(config).forEach(warn -> LOG.warn("Sink to Doris: {}", warn));
            if (config.isUnordered() && context.getTaskInfo().getNumberOfParallelSubtasks() > 1) {
                LOG.warn(
                        "Sink to Doris: {}", UnorderedChanges.warning(config.connection().table()));
            }
        }
        WriterIdentity identity = identity(config, context, restored);
        LoadClient client = null;
        DorisWriter<T> writer = null;
        try {
            client = clients.open();
            writer = new DorisWriter<>(config, identity, clock, client, inputs, context, restored);
            writer.initialize();
            return writer;
        } catch (Throwable failure) {
            AutoCloseable all = writer == null ? client : writer;
            try {
                if (all != null) {
                    all.close();
                }
            } catch (Exception e) {
                failure.addSuppressed(e);
            }
            if (failure instanceof InterruptedException) {
                Thread.currentThread().interrupt();
                InterruptedIOException interrupted =
                        new InterruptedIOException("interrupted while the sink started");
                interrupted.initCause(failure);
                throw interrupted;
            }
            throw failure instanceof IOException
                    ? WriteRefusedException.of(
                            (IOException) failure, context.getRestoredCheckpointId().isPresent())
                    : new IOException("The sink could not start.", failure);
        }
    }

    @Override
    public void write(IN element, Context context) throws IOException, InterruptedException {
        inside = true;
        try {
            input.write(element);
        } catch (IOException e) {
            throw WriteRefusedException.of(e, checkpointed);
        }
        inside = false;
    }

    @Override
    public void flush(boolean endOfInput) throws IOException, InterruptedException {
        inside = true;
        try {
            input.flush();
            if (!config.write().twoPhase()) {
                loads.finish();
            }
        } catch (IOException e) {
            throw WriteRefusedException.of(e, checkpointed);
        }
        inside = false;
    }

    @Override
    public Collection<DorisCommittable> prepareCommit() throws IOException, InterruptedException {
        if (!config.write().twoPhase()) {
            return List.of();
        }
        inside = true;
        List<TableLoads.Finished> finished;
        try {
            lingering.sweep(this::pause);
            finished = loads.finish();
        } catch (IOException e) {
            throw WriteRefusedException.of(e, checkpointed);
        }
        inside = false;
        List<DorisCommittable> committables = new ArrayList<>();
        Abandoned carried = takeAbandoned();
        for (TableLoads.Finished load : finished) {
            List<Label> skipped = new ArrayList<>(carried.labels());
            for (String label : load.outcome().skipped()) {
                skipped.add(new Label(load.database(), label));
            }
            committables.add(committable(load, new Abandoned(skipped, carried.series())));
            watch.add(load.database(), load.table(), load.outcome().label());
            carried = Abandoned.NONE;
        }
        if (!carried.isEmpty()) {
            String database =
                    carried.labels().isEmpty()
                            ? carried.series().get(0).series().database()
                            : carried.labels().get(0).database();
            committables.add(
                    DorisCommittable.carrying(
                            database,
                            "",
                            identity.subtask(),
                            identity.epoch(),
                            identity.attempt(),
                            clock.wallMillis(),
                            carried));
        }
        NativeLog.drain();
        return committables;
    }

    @Override
    public List<WriterState> snapshotState(long checkpointId) {
        checkpointed = true;
        List<WriterState> states = new ArrayList<>();
        states.add(
                new WriterState(
                        identity.prefix(),
                        identity.subtask(),
                        identity.parallelism(),
                        identity.epoch(),
                        identity.attempt(),
                        clock.wallMillis(),
                        false,
                        config.write().twoPhase() ? loads.snapshot() : List.of()));
        states.addAll(inherited);
        return states;
    }

    /** Drops the loads that are not finished; what was handed to the committer stays. */
    @Override
    public void close() throws Exception {
        if (closed) {
            return;
        }
        closed = true;
        IOUtils.closeAll(input, loads, () -> IOUtils.closeQuietly(watch), client, NativeLog::drain);
    }

    private void initialize() throws IOException, InterruptedException {
        if (lingering != null) {
            lingering.warn();
            lingering.checkRestoredTables(Pause.INTERRUPTS);
            vanished = lingering.ofVanishedSubtasks();
            // With one table alone everything is looked for right now.
            boolean oneTable = config.declared().isPresent();
            inherited = oneTable ? List.of() : lingering.inherited();
        }
        if (config.connection().hasTable()) {
            TableIdentifier table = config.connection().table();
            loads.check(table.database(), table.table());
        }
        input.open();
        loads.setPause(this::pause);
        startTimer();
        LOG.info("Sink to Doris: {}", identity);
    }

    /** Between slices of a wait: an interrupt, the watch, and mails such as a commit. */
    private void pause() throws IOException, InterruptedException {
        Pause.checkInterrupt();
        if (watch != null) {
            watch.poll();
        }
        for (int i = 0; i < MAILS_PER_PAUSE && mailbox.tryYield(); i++) {
            Pause.checkInterrupt();
        }
    }

    private void startTimer() {
        long delay = trickle.toMillis();
        if (watch != null) {
            delay = Math.max(1, Math.min(delay, watch.delay().toMillis()));
        }
        timers.registerTimer(timers.getCurrentProcessingTime() + delay, time -> tick());
    }

    private void tick() throws IOException, InterruptedException {
        if (closed) {
            return;
        }
        if (watch != null) {
            watch.poll();
        }
        try {
            if (!inside) {
                inside = true;
                input.trickle();
                inside = false;
            }
            if (clock.nanos() - polled >= POLL.toNanos()) {
                polled = clock.nanos();
                loads.poll();
            }
        } catch (IOException e) {
            throw WriteRefusedException.of(e, checkpointed);
        }
        startTimer();
    }

    /** A tenth, by which the native core sends loads earlier than the interval says. */
    private static Duration batchTrickle(Duration interval) {
        Duration tenth = interval.dividedBy(10);
        return tenth.compareTo(TRICKLE) < 0 ? tenth : TRICKLE;
    }

    private Abandoned takeAbandoned() {
        Abandoned taken = new Abandoned(loads.takeStepped(), vanished.series());
        vanished = Abandoned.NONE;
        return taken;
    }

    private DorisCommittable committable(TableLoads.Finished load, Abandoned abandoned)
            throws IOException {
        OptionalLong txnId = load.outcome().txnId();
        if (txnId.isEmpty()) {
            throw new IOException(
                    String.format(
                            "Doris answered the load under label %s of table %s.%s without a"
                                    + " transaction id, so it cannot be committed.",
                            load.outcome().label(), load.database(), load.table()));
        }
        return DorisCommittable.of(
                load.database(),
                load.table(),
                load.outcome().label(),
                txnId.getAsLong(),
                identity.subtask(),
                identity.epoch(),
                identity.attempt(),
                load.number(),
                clock.wallMillis(),
                abandoned);
    }

    private static WriterIdentity identity(
            SinkConfig config, WriterInitContext context, Collection<WriterState> restored) {
        int subtask = context.getTaskInfo().getIndexOfThisSubtask();
        String operatorId = context.metricGroup().getAllVariables().get("<operator_id>");
        if (operatorId == null) {
            throw new IllegalStateException("Flink gave the sink no operator id.");
        }
        return new WriterIdentity(
                operatorId,
                prefix(config, subtask, restored),
                subtask,
                context.getTaskInfo().getNumberOfParallelSubtasks(),
                context.getRestoredCheckpointId().orElse(0),
                context.getTaskInfo().getAttemptNumber());
    }

    /** The user's prefix, else that of the state, own entry first, else the drawn one. */
    private static String prefix(SinkConfig config, int subtask, Collection<WriterState> restored) {
        if (!config.isPrefixDrawn()) {
            return config.labelPrefix();
        }
        return restored.stream()
                .filter(state -> !state.inherited())
                .sorted((a, b) -> Boolean.compare(b.subtask() == subtask, a.subtask() == subtask))
                .map(WriterState::prefix)
                .findFirst()
                .orElse(config.labelPrefix());
    }

    /** Whoever declares columns gives rows of them; all others spell their rows themselves. */
    @SuppressWarnings("unchecked")
    private static <T> RecordInput.Factory<T> inputs(
            SinkConfig config,
            CheckpointPlan checkpoints,
            DorisRecordSerializer<T> serializer,
            int subtask) {
        boolean unflushed = config.write().batch() && !checkpoints.enabled();
        Duration patience = unflushed ? config.write().batchInterval() : null;
        RecordPosition position = new RecordPosition(subtask);
        return (loads, metrics) -> {
            if (config.declared().isEmpty()) {
                return new SerializedInput<>(config, serializer, loads, position);
            }
            RecordInput<RowData> rows =
                    new RowDataInput(
                            config,
                            config.declared().get(),
                            loads,
                            metrics,
                            SinkClock.SYSTEM,
                            patience);
            return (RecordInput<T>)
                    (serializer instanceof RowSerializer
                            ? new RowInput((RowSerializer) serializer, rows, position)
                            : rows);
        };
    }
}
