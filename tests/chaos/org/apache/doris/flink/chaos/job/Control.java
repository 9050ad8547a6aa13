package org.apache.doris.flink.chaos.job;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Optional;

/**
 * The folder through which a run steers its job, whatever process a task lives in: how far the
 * sources may go, and which task does what next. Every change is one rename, so nobody sees half of
 * it.
 *
 * <p>A hook is a file {@code armed.<action>.<operator>.<subtask>}. The first attempt of that
 * subtask that comes by takes it by renaming it to {@code taken.…}; a pause ends when the run
 * renames that to {@code released.…}.
 */
public final class Control {

    private static final String ARMED = "armed.";
    private static final String TAKEN = "taken.";
    private static final String RELEASED = "released.";

    private final Path folder;

    /** Control by the files of a folder, which must exist. */
    public Control(String folder) {
        this.folder = Path.of(folder);
    }

    /** Lets every partition go up to a position. */
    public void allow(long limit) {
        write("limit", limit);
    }

    /** The position up to which every partition may go. */
    public long allowed() {
        return read("limit").orElse(0L);
    }

    /** From now on every partition ends at this position. */
    public void endAt(long position) {
        write("end", position);
    }

    /** The position at which every partition ends, once it is known. */
    public Optional<Long> end() {
        return read("end");
    }

    /** Has a subtask of an operator do something once. */
    public void arm(String action, String operator, int subtask) {
        write(ARMED + name(action, operator, subtask), 0);
    }

    /** Withdraws what nobody has taken; false when somebody has. */
    public boolean disarm(String action, String operator, int subtask) {
        try {
            return Files.deleteIfExists(folder.resolve(ARMED + name(action, operator, subtask)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether a subtask has taken what it was to do and was not released since. */
    public boolean taken(String action, String operator, int subtask) {
        return Files.exists(folder.resolve(TAKEN + name(action, operator, subtask)));
    }

    /** Lets a paused subtask go on, or forgets what a subtask has done. */
    public void release(String action, String operator, int subtask) {
        String name = name(action, operator, subtask);
        rename(TAKEN + name, RELEASED + name);
    }

    /** Names of everything that is armed; cheap enough to be asked some hundred times a second. */
    String[] armed() {
        String[] names = folder.toFile().list((dir, name) -> name.startsWith(ARMED));
        return names == null ? new String[0] : names;
    }

    /** Takes a hook; true for one caller only. */
    boolean take(String action, String operator, int subtask) {
        String name = name(action, operator, subtask);
        return Arrays.asList(armed()).contains(ARMED + name) && rename(ARMED + name, TAKEN + name);
    }

    /** Whether a hook that was taken has been released. */
    boolean released(String action, String operator, int subtask) {
        return Files.exists(folder.resolve(RELEASED + name(action, operator, subtask)));
    }

    private static String name(String action, String operator, int subtask) {
        return action + "." + operator + "." + subtask;
    }

    private boolean rename(String from, String to) {
        try {
            Files.move(
                    folder.resolve(from),
                    folder.resolve(to),
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
            return true;
        } catch (NoSuchFileException | FileAlreadyExistsException other) {
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void write(String name, long value) {
        try {
            Path part = Files.createTempFile(folder, "part", "");
            Files.writeString(part, String.valueOf(value));
            Files.move(part, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Optional<Long> read(String name) {
        try {
            return Optional.of(Long.parseLong(Files.readString(folder.resolve(name))));
        } catch (NoSuchFileException unknown) {
            return Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
