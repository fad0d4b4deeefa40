package io.sluice.mr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.common.error.SluiceException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AssignmentVariableTest {
  private final Map<String, String> environment = new HashMap<>();

  @Test
  void isPassedToTasksInTheirEnvironment() throws SluiceException {
    ShuffleAssignment assignment = Assignments.of(3, 40);

    AssignmentVariable.put(environment, assignment);

    assertThat(environment).hasSize(1);
    assertThat(environment.values().iterator().next()).as("needs no quotes").matches("[\\w-]+");
    assertThat(AssignmentVariable.from(environment)).contains(assignment);
  }

  @Test
  void isEmptyIfTheVariableIsNotSet() throws SluiceException {
    assertThat(AssignmentVariable.from(Map.of("PATH", "/bin"))).isEmpty();
  }

  @Test
  void refusesAnAssignmentThatIsTooLongForTheEnvironment() throws SluiceException {
    AssignmentVariable.check(Assignments.of(100, 100));
    assertThatThrownBy(() -> AssignmentVariable.check(Assignments.of(5_000, 5_000)))
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("mapreduce.rss.client.assignment.shuffle.nodes.max");
  }

  @Test
  void refusesDamage() {
    environment.put(AssignmentVariable.VARIABLE, "no base 64!");
    assertThatThrownBy(() -> AssignmentVariable.from(environment))
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining(AssignmentVariable.VARIABLE);
    environment.put(AssignmentVariable.VARIABLE, "AAAA");
    assertThatThrownBy(() -> AssignmentVariable.from(environment))
        .isInstanceOf(SluiceException.class);
  }
}
