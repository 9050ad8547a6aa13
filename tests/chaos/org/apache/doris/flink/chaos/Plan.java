package org.apache.doris.flink.chaos;

import org.apache.doris.flink.chaos.FaultKind.Group;
import org.apache.doris.flink.chaos.job.ChaosRows.Stream;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/**
 * What a run breaks, in which order: a function of the seed alone.
 *
 * <p>Faults are dealt from a shuffled deck that holds every kind, so that a run of a few dozen has
 * met them all. Those of one round strike at the same time; a round has one fault of the job at
 * most.
 */
final class Plan {

    private static final int MOST_AT_ONCE = 3;

    private Plan() {}

    /** One thing to break, with the draws that choose where. */
    static final class Planned {
        final int number;
        final FaultKind kind;
        final Stream stream;
        final int subtask;
        final int times;
        final int draw;

        Planned(int number, FaultKind kind, Random random) {
            this.number = number;
            this.kind = kind;
            stream = Stream.values()[random.nextInt(Stream.values().length)];
            subtask = random.nextInt(4);
            times = 1 + random.nextInt(3);
            draw = random.nextInt(1 << 16);
        }

        @Override
        public String toString() {
            return String.format(
                    "%d %s (stream %s, subtask %d, times %d, draw %d)",
                    number, kind.text(), stream.operator(), subtask, times, draw);
        }
    }

    /**
     * The rounds of a run.
     *
     * @param processes whether the cluster is one of processes, not in this JVM
     * @param only what the names of the kinds must match, for a look at some of them
     */
    static List<List<Planned>> of(long seed, int faults, boolean processes, String only) {
        Random random = new Random(seed);
        List<FaultKind> deck = new ArrayList<>();
        List<List<Planned>> rounds = new ArrayList<>();
        List<Planned> round = new ArrayList<>();
        int size = 1;
        for (int number = 1; number <= faults; number++) {
            if (deck.isEmpty()) {
                deck.addAll(deck(processes, only));
                Collections.shuffle(deck, random);
            }
            FaultKind kind = deck.remove(deck.size() - 1);
            if (round.size() == size || ofTheJob(kind) && anyOfTheJob(round)) {
                rounds.add(round);
                round = new ArrayList<>();
                size = 1 + random.nextInt(MOST_AT_ONCE);
            }
            round.add(new Planned(number, kind, random));
        }
        if (!round.isEmpty()) {
            rounds.add(round);
        }
        return rounds;
    }

    /** Whether a kind makes at least one task start again by itself. */
    static boolean ofTheJob(FaultKind kind) {
        return kind.group == Group.JOB || kind.group == Group.PROCESS;
    }

    private static boolean anyOfTheJob(List<Planned> round) {
        return round.stream().anyMatch(planned -> ofTheJob(planned.kind));
    }

    private static List<FaultKind> deck(boolean processes, String only) {
        return java.util.Arrays.stream(FaultKind.values())
                .filter(kind -> processes ? !needsThisJvm(kind) : kind.group != Group.PROCESS)
                .filter(kind -> kind.text().matches(only))
                .flatMap(kind -> Collections.nCopies(kind.weight, kind).stream())
                .collect(Collectors.toList());
    }

    /** Task managers of processes are killed or stopped instead. */
    private static boolean needsThisJvm(FaultKind kind) {
        return kind == FaultKind.TASK_MANAGER_LOST || kind.name().startsWith("ZOMBIE");
    }
}
