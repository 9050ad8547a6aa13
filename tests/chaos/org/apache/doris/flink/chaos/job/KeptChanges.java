package org.apache.doris.flink.chaos.job;

import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.types.Row;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Keeps every row exactly once, as a sink with transactions does: rows go to a file per checkpoint,
 * and the state is the list of all files so far. What a completed checkpoint holds is what its
 * subtasks say then; files of attempts that no checkpoint holds are never looked at.
 */
public final class KeptChanges extends RichMapFunction<Row, Long> implements CheckpointedFunction {

    private static final long serialVersionUID = 1L;
    private static final String LIST = "list.";

    private final String folder;

    private transient ListState<String> state;
    private transient List<String> files;
    private transient List<String> rows;
    private transient JobID job;
    private transient int subtask;

    /** Keeps rows in a folder, which must exist. */
    KeptChanges(String folder) {
        this.folder = folder;
    }

    /** Names of the rows' files that a completed checkpoint of a job holds, in their order. */
    public static List<Path> files(Path folder, String job, long checkpoint) throws IOException {
        List<Path> lists;
        try (Stream<Path> all = Files.list(folder)) {
            String prefix = LIST + job + "." + checkpoint + ".";
            lists =
                    all.filter(file -> file.getFileName().toString().startsWith(prefix))
                            .collect(Collectors.toList());
        }
        List<String> names = new ArrayList<>();
        for (Path list : lists) {
            names.addAll(Files.readAllLines(list));
        }
        // By the number of the checkpoint: a key's rows are in one subtask at a time.
        names.sort(
                Comparator.comparingLong((String name) -> Long.parseLong(name.split("\\.")[0]))
                        .thenComparing(Comparator.naturalOrder()));
        return names.stream().map(folder::resolve).collect(Collectors.toList());
    }

    @Override
    public void open(OpenContext context) {
        job = getRuntimeContext().getJobInfo().getJobId();
        subtask = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
    }

    @Override
    public void initializeState(FunctionInitializationContext context) throws Exception {
        state =
                context.getOperatorStateStore()
                        .getListState(new ListStateDescriptor<>("files", Types.STRING));
        files = new ArrayList<>();
        rows = new ArrayList<>();
        state.get().forEach(files::add);
    }

    @Override
    public Long map(Row row) {
        rows.add(ChangeLine.of(row));
        return 1L;
    }

    @Override
    public void snapshotState(FunctionSnapshotContext context) throws Exception {
        long checkpoint = context.getCheckpointId();
        if (!rows.isEmpty()) {
            String name = checkpoint + ".rows." + UUID.randomUUID();
            write(name, rows);
            files.add(name);
            rows = new ArrayList<>();
        }
        state.update(files);
        write(LIST + job + "." + checkpoint + "." + subtask, files);
    }

    private void write(String name, List<String> lines) {
        try {
            Path part = Files.createTempFile(Path.of(folder), "part", "");
            Files.write(part, lines);
            Files.move(
                    part,
                    Path.of(folder).resolve(name),
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
