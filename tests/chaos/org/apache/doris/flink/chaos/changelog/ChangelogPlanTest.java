package org.apache.doris.flink.chaos.changelog;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.doris.flink.chaos.Kind.Group;
import org.apache.doris.flink.chaos.Plan;
import org.junit.jupiter.api.Test;

import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;

/** A run of a few dozen faults meets every kind, a handful of seeds every way to follow. */
class ChangelogPlanTest {

    @Test
    void everyKindIsMetWithinOneDeck() {
        for (boolean processes : new boolean[] {false, true}) {
            Set<ChangelogFault> met = EnumSet.noneOf(ChangelogFault.class);
            Plan.of(1, 60, ChangelogFault.deck(processes, ".*"))
                    .forEach(round -> round.forEach(planned -> met.add(planned.kind)));
            assertThat(EnumSet.complementOf(EnumSet.copyOf(met)))
                    .allSatisfy(
                            kind -> {
                                if (processes) {
                                    assertThat(kind).isEqualTo(ChangelogFault.TASK_MANAGER_LOST);
                                } else {
                                    assertThat(kind.group()).isEqualTo(Group.PROCESS);
                                }
                            });
        }
    }

    @Test
    void seedsTakeTurnsWithTheCombinations() {
        Set<String> combinations = new HashSet<>();
        for (long seed = 100; seed < 107; seed++) {
            combinations.add(new FollowedTable(seed).toString().replaceFirst(",.*", ""));
        }
        assertThat(combinations).hasSize(7);
        assertThat(new FollowedTable(5)).hasToString(new FollowedTable(5).toString());
    }
}
