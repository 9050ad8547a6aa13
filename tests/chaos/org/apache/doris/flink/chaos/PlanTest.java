package org.apache.doris.flink.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.doris.flink.chaos.Kind.Group;
import org.apache.doris.flink.chaos.Plan.Planned;
import org.apache.doris.flink.chaos.job.ChaosRows.Stream;
import org.junit.jupiter.api.Test;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** A seed says everything about a run. */
class PlanTest {

    private static List<List<Planned<FaultKind>>> plan(long seed, int faults, boolean processes) {
        return Plan.of(seed, faults, FaultKind.deck(Mode.WRITE, processes, ".*"));
    }

    private static List<Planned<FaultKind>> faults(long seed, int faults, boolean processes) {
        return plan(seed, faults, processes).stream()
                .flatMap(List::stream)
                .collect(Collectors.toList());
    }

    @Test
    void aSeedGivesTheSamePlanEveryTime() {
        assertThat(plan(42, 300, false).toString()).isEqualTo(plan(42, 300, false).toString());
        assertThat(plan(42, 300, false).toString()).isNotEqualTo(plan(43, 300, false).toString());
    }

    @Test
    void aLongerRunBeginsLikeAShorterOne() {
        List<Planned<FaultKind>> faults = faults(42, 300, false);
        assertThat(faults.subList(0, 20).toString()).isEqualTo(faults(42, 20, false).toString());
    }

    @Test
    void everyKindIsMetWithinOneDeck() {
        for (Mode mode : Mode.values()) {
            for (boolean processes : new boolean[] {false, true}) {
                Set<FaultKind> met = EnumSet.noneOf(FaultKind.class);
                Plan.of(1, 60, FaultKind.deck(mode, processes, ".*"))
                        .forEach(round -> round.forEach(fault -> met.add(fault.kind)));
                Set<FaultKind> missed = EnumSet.complementOf(EnumSet.copyOf(met));
                missed.removeIf(kind -> !kind.isOf(mode));
                assertThat(missed)
                        .allSatisfy(
                                kind -> {
                                    if (processes) {
                                        assertThat(kind.name())
                                                .matches("ZOMBIE.*|TASK_MANAGER_LOST");
                                    } else {
                                        assertThat(kind.group()).isEqualTo(Group.PROCESS);
                                    }
                                });
            }
        }
    }

    @Test
    void whatOutlivesAnAttemptStrikesNoUniqueTableInBatchMode() {
        ServerFaults faults = new ServerFaults(Mode.BATCH);
        Plan.of(1, 600, FaultKind.deck(Mode.BATCH, false, "zombie.*|.*held.*|load-undecided"))
                .forEach(
                        round ->
                                assertThat(round)
                                        .filteredOn(fault -> fault.kind.outlivesAttempt())
                                        .noneMatch(
                                                fault -> faults.stream(fault) == Stream.UPDATES));
    }

    @Test
    void threeHundredFaultsHoldThirtyFailOversAtLeast() {
        for (long seed = 0; seed < 20; seed++) {
            assertThat(faults(seed, 300, false))
                    .filteredOn(fault -> fault.kind.ofTheJob())
                    .hasSizeGreaterThan(60);
        }
    }

    @Test
    void aRoundBreaksTheJobOnceAtMost() {
        assertThat(plan(5, 300, false))
                .allSatisfy(
                        round -> {
                            assertThat(round).hasSizeBetween(1, 3);
                            assertThat(round)
                                    .filteredOn(fault -> fault.kind.ofTheJob())
                                    .hasSizeLessThan(2);
                        })
                .anySatisfy(round -> assertThat(round).hasSize(3));
    }
}
