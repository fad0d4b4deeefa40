package io.sluice.mr.am;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.common.error.SluiceException;
import io.sluice.mr.Assignments;
import io.sluice.proto.ServerId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class JobAssignmentTest {
  private final List<ServerId> spare = new ArrayList<>();
  private final List<String> searches = new ArrayList<>();
  private ShuffleAssignment first;

  @BeforeEach
  void threeServers() throws SluiceException {
    first = Assignments.of(3, 30);
  }

  private JobAssignment assignment(int maxFurtherServers) {
    return new JobAssignment(
        first,
        maxFurtherServers,
        (partitions, excluded) -> {
          searches.add(partitions + " " + new java.util.TreeSet<>(excluded));
          return spare.isEmpty() ? Optional.empty() : Optional.of(spare.remove(0));
        });
  }

  @Test
  void anotherServerStandsInForOneThatFailed() {
    spare.add(Assignments.server(7));
    JobAssignment job = assignment(10);

    assertThat(job.replace("server-1")).isTrue();

    assertThat(searches).containsExactly("10 [server-0, server-1, server-2]");
    assertThat(job.newest().generation()).isEqualTo(1);
    assertThat(job.newest().serversOf(15)).containsExactly(Assignments.server(7));
    assertThat(job.newest().serversOf(5)).containsExactly(Assignments.server(0));
    assertThat(job.replace("server-1")).as("reported again").isFalse();
    assertThat(job.newest().generation()).isEqualTo(1);
  }

  @Test
  void aServerInUseStandsInWhenThereIsNoOther() {
    JobAssignment job = assignment(10);

    assertThat(job.replace("server-0")).isTrue();
    assertThat(job.newest().serversOf(0)).containsExactly(Assignments.server(1));
    assertThat(job.replace("server-1")).isTrue();
    assertThat(job.newest().serversOf(0)).containsExactly(Assignments.server(2));
    assertThat(job.newest().serversOf(15)).containsExactly(Assignments.server(2));
    assertThat(job.replace("server-2")).as("nobody is left").isFalse();
    assertThat(job.newest().generation()).isEqualTo(2);
  }

  @Test
  void searchesOnceForEachServer() {
    JobAssignment job = assignment(10);
    job.replace("server-0");
    job.replace("server-1");
    job.replace("server-2");
    job.replace("server-2");
    assertThat(searches).hasSize(3);
  }

  @Test
  void takesNoMoreServersThanItMay() {
    spare.addAll(List.of(Assignments.server(7), Assignments.server(8)));
    JobAssignment job = assignment(1);
    job.replace("server-0");
    job.replace("server-1");
    assertThat(searches).hasSize(1);
    assertThat(job.newest().serversOf(15)).doesNotContain(Assignments.server(8));
  }

  @Test
  void neverChangesWhereThatIsSwitchedOff() {
    assertThat(assignment(0).replace("server-0")).isFalse();
    assertThat(assignment(10).replace("server-9")).as("takes no part").isFalse();
    assertThat(searches).isEmpty();
  }
}
