package io.sluice.mr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.common.error.SluiceException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AssignedShuffleTest {
  private final Map<String, String> environment = new HashMap<>();

  @Test
  void comesToTasksInTheirEnvironment() throws SluiceException {
    ShuffleAssignment assignment = Assignments.of(3, 40);

    AssignedShuffle.put(environment, assignment);

    assertThat(environment).hasSize(1);
    assertThat(environment.values().iterator().next()).as("needs no quotes").matches("[\\w-]+");
    assertThat(AssignedShuffle.from(environment)).contains(assignment);
  }

  @Test
  void isNotThereWhereNobodyGaveIt() throws SluiceException {
    assertThat(AssignedShuffle.from(Map.of("PATH", "/bin"))).isEmpty();
  }

  @Test
  void refusesWhatAnEnvironmentCannotHold() throws SluiceException {
    AssignedShuffle.check(Assignments.of(100, 100));
    assertThatThrownBy(() -> AssignedShuffle.check(Assignments.of(5_000, 5_000)))
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("mapreduce.rss.client.assignment.shuffle.nodes.max");
  }

  @Test
  void refusesDamage() {
    environment.put(AssignedShuffle.VARIABLE, "no base 64!");
    assertThatThrownBy(() -> AssignedShuffle.from(environment))
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining(AssignedShuffle.VARIABLE);
    environment.put(AssignedShuffle.VARIABLE, "AAAA");
    assertThatThrownBy(() -> AssignedShuffle.from(environment)).isInstanceOf(SluiceException.class);
  }
}
