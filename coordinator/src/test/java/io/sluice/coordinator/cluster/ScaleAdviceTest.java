package io.sluice.coordinator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.coordinator.cluster.ScaleAdvice.Need;
import io.sluice.proto.DiskState;
import io.sluice.proto.ServerId;
import io.sluice.proto.ServerLoad;
import io.sluice.proto.ServerState;
import io.sluice.proto.StoredData;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Servers with 1,000 bytes of memory and disks of 10,000 bytes. */
class ScaleAdviceTest {
  private final Map<Server, ServerState> servers = new HashMap<>();

  private void server(ServerState state, long memory, long disk, DiskState... others) {
    ServerLoad load =
        ServerLoad.newBuilder()
            .setMemoryUsedBytes(memory)
            .setMemoryCapacityBytes(1_000)
            .addDisks(
                DiskState.newBuilder()
                    .setKind("SSD")
                    .setCapacityBytes(10_000)
                    .setFreeBytes(10_000 - disk))
            .addAllDisks(List.of(others))
            .build();
    String name = "s" + servers.size();
    servers.put(
        Server.reporting(
            ServerId.newBuilder().setName(name).build(),
            ServerState.ACTIVE,
            load,
            StoredData.getDefaultInstance(),
            List.of(),
            0),
        state);
  }

  private List<Integer> needed() {
    return ScaleAdvice.of(List.copyOf(servers.keySet()), servers::get).stream()
        .map(Need::servers)
        .toList();
  }

  @Test
  void countsServersForMemoryAndDisks() {
    server(ServerState.ACTIVE, 700, 7_000);
    server(ServerState.ACTIVE, 701, 7_000);
    assertThat(needed()).as("1,401 of 750 each, 14,000 of 7,000 each").containsExactly(2, 2);

    server(ServerState.ACTIVE, 100, 1);
    assertThat(needed()).containsExactly(3, 3);
  }

  @Test
  void dataOfLeavingServersNeedsRoomAndThatOfLostOnesDoesNot() {
    server(ServerState.ACTIVE, 700, 0);
    server(ServerState.SERVER_DRAINING, 700, 0);
    server(ServerState.SERVER_LOST, 700, 0);
    assertThat(needed()).containsExactly(2, 1);
  }

  @Test
  void theRemoteTierIsNoDiskOfAServer() {
    DiskState remote = DiskState.newBuilder().setKind("REMOTE").setCapacityBytes(1_000_000).build();
    server(ServerState.ACTIVE, 0, 8_000, remote);
    assertThat(needed()).containsExactly(1, 2);
  }

  @Test
  void withoutServersThereIsNoAdvice() {
    assertThat(needed()).containsExactly(0, 0);
    server(ServerState.SERVER_DRAINING, 800, 0);
    assertThat(needed()).as("none is active").containsExactly(2, 1);
  }
}
