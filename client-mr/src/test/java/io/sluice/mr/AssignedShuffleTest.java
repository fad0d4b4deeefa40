package io.sluice.mr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.common.error.SluiceException;
import io.sluice.proto.PartitionRange;
import io.sluice.proto.RegisterShuffleReply;
import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleId;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AssignedShuffleTest {
  private final Map<String, String> environment = new HashMap<>();

  @Test
  void comesToTasksInTheirEnvironment() throws SluiceException {
    ShuffleAssignment assignment = assignment(3, 40);

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
    AssignedShuffle.check(assignment(100, 100));
    assertThatThrownBy(() -> AssignedShuffle.check(assignment(5_000, 5_000)))
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

  private static ShuffleAssignment assignment(int servers, int partitions) throws SluiceException {
    RegisterShuffleReply.Builder reply = RegisterShuffleReply.newBuilder();
    for (int i = 0; i < servers; i++) {
      reply.addServers(
          ServerId.newBuilder()
              .setName("server-" + i)
              .setHost("host-" + i + ".example")
              .setRpcPort(19999)
              .setNettyPort(17000)
              .setEpoch(1));
      reply.addRanges(
          PartitionRange.newBuilder()
              .setFirst(partitions * i / servers)
              .setLast(partitions * (i + 1) / servers - 1)
              .addServers(i));
    }
    return ShuffleAssignment.of(
        ShuffleId.newBuilder().setApplication("application_1_0001").build(),
        partitions,
        reply.build());
  }
}
