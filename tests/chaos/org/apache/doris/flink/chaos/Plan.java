package org.apache.doris.flink.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a run breaks, in which order: a function of the seed alone.
 *
 * <p>Faults are dealt from a shuffled deck that holds every kind, so that a run of a few dozen has
 * met them all. Those of one round strike at the same time; a round has one fault of the job at
 * most.
 */
public final class Plan {

    private static final int MOST_AT_ONCE = 3;

    private Plan() {}

    /** One thing to break, with the draws that choose where. */
    public static final class Planned<K extends Kind> {
        public final int number;
        public final K kind;

        /** One of three operators. */
        public final int operator;

        /** One of four. */
        public final int subtask;

        /** How often it strikes, 1 to 3. */
        public final int times;

        /** For whatever else is to be chosen, below 65,536. */
        public final int draw;

        Planned(int number, K kind, Random random) {
            this.number = number;
            this.kind = kind;
            operator = random.nextInt(3);
            subtask = random.nextInt(4);
            times = 1 + random.nextInt(3);
            draw = random.nextInt(1 << 16);
        }

        /** A time from 100 ms on, by the draw, of which so many are possible. */
        public Duration delay(int millis) {
            return Duration.ofMillis(100 + draw % millis);
        }

        @Override
        public String toString() {
            return String.format(
                    "%d %s (operator %d, subtask %d, times %d, draw %d)",
                    number, kind.text(), operator, subtask, times, draw);
        }
    }

    /**
     * The rounds of a run.
     *
     * @param deck every kind as often as its weight says
     */
    public static <K extends Kind> List<List<Planned<K>>> of(long seed, int faults, List<K> deck) {
        Random random = new Random(seed);
        List<K> left = new ArrayList<>();
        List<List<Planned<K>>> rounds = new ArrayList<>();
        List<Planned<K>> round = new ArrayList<>();
        int size = 1;
        for (int number = 1; number <= faults; number++) {
            if (left.isEmpty()) {
                left.addAll(deck);
                Collections.shuffle(left, random);
            }
            K kind = left.remove(left.size() - 1);
            if (round.size() == size || kind.ofTheJob() && anyOfTheJob(round)) {
                rounds.add(round);
                round = new ArrayList<>();
                size = 1 + random.nextInt(MOST_AT_ONCE);
            }
            round.add(new Planned<>(number, kind, random));
        }
        if (!round.isEmpty()) {
            rounds.add(round);
        }
        return rounds;
    }

    /** Those of some kinds that a run can have, each as often as its weight says. */
    public static <K extends Kind> List<K> deck(K[] kinds, Predicate<K> has) {
        return Stream.of(kinds)
                .filter(has)
                .flatMap(kind -> Collections.nCopies(kind.weight(), kind).stream())
                .collect(Collectors.toList());
    }

    private static <K extends Kind> boolean anyOfTheJob(List<Planned<K>> round) {
        return round.stream().anyMatch(planned -> planned.kind.ofTheJob());
    }
}
