package io.sluice.cli.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.proto.DiskState;
import io.sluice.proto.ServerId;
import io.sluice.proto.ServerInfo;
import io.sluice.proto.ServerLoad;
import io.sluice.proto.ServerState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RollingRestartTest {
  private static final long POLL_MS = 100;

  private final Map<String, ServerInfo> servers = new TreeMap<>();
  private final List<String> calls = new ArrayList<>();
  private final List<String> lines = new ArrayList<>();
  private long nowNanos;

  /** Simulated restart of a server. */
  private Restarter restarter = this::restartWithNewEpoch;

  private long lostRuns;

  private final Cluster cluster =
      new Cluster() {
        @Override
        public List<ServerInfo> servers() {
          return List.copyOf(servers.values());
        }

        @Override
        public void drain(ServerId server) {
          calls.add("drain " + server.getName());
          change(server.getName(), ServerState.SERVER_DRAINING);
        }

        @Override
        public void resume(ServerId server) {
          calls.add("resume " + server.getName());
          change(server.getName(), ServerState.ACTIVE);
        }

        @Override
        public long lostRuns(ServerId server) {
          return lostRuns;
        }
      };

  @BeforeEach
  void threeServers() {
    for (String name : List.of("b", "a", "c")) {
      servers.put(
          name,
          ServerInfo.newBuilder()
              .setServer(ServerId.newBuilder().setName(name).setEpoch(1))
              .setState(ServerState.ACTIVE)
              .setLoad(load(1, 0))
              .build());
    }
  }

  private static ServerLoad load(int healthyDisks, long memoryBytes) {
    ServerLoad.Builder load =
        ServerLoad.newBuilder()
            .setStoredBytes(5)
            .setMemoryCapacityBytes(800)
            .setMemoryUsedBytes(memoryBytes);
    for (int i = 0; i < 2; i++) {
      load.addDisks(DiskState.newBuilder().setHealthy(i < healthyDisks));
    }
    return load.build();
  }

  private void change(String name, ServerState state) {
    servers.computeIfPresent(name, (unused, info) -> info.toBuilder().setState(state).build());
  }

  private void restartWithNewEpoch(ServerId server) {
    calls.add("restart " + server.getName());
    ServerInfo info = servers.get(server.getName());
    servers.put(
        server.getName(),
        info.toBuilder()
            .setServer(info.getServer().toBuilder().setEpoch(server.getEpoch() + 1))
            .setState(ServerState.ACTIVE)
            .build());
  }

  private RollingRestart restart() {
    return new RollingRestart(
        cluster,
        server -> restarter.restart(server),
        new RollingRestart.Times(1_000, 5_000, 300, POLL_MS),
        () -> nowNanos,
        ms -> nowNanos += TimeUnit.MILLISECONDS.toNanos(ms),
        lines::add);
  }

  private int run(String... names) throws IOException, InterruptedException {
    RollingRestart restart = restart();
    return restart.run(restart.plan(List.of(names)));
  }

  @Test
  void restartsServersOneAfterAnotherSortedByName() throws Exception {
    assertThat(run()).isEqualTo(3);

    assertThat(calls)
        .containsExactly("drain a", "restart a", "drain b", "restart b", "drain c", "restart c");
    assertThat(lines).contains("[1/3] a: restarting", "[3/3] c: done, stores 5 B, took 0s");
  }

  @Test
  void restartsNamedServersInTheGivenOrder() throws Exception {
    change("b", ServerState.SERVER_DRAINING);

    assertThat(run("c", "a")).isEqualTo(2);

    assertThat(calls).containsExactly("drain c", "restart c", "drain a", "restart a");
  }

  @Test
  void waitsForMemoryUntilTheDrainTimeout() throws Exception {
    servers.computeIfPresent("a", (name, info) -> info.toBuilder().setLoad(load(1, 800)).build());

    run("a");

    assertThat(nowNanos).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(1_300));
    assertThat(calls).containsExactly("drain a", "restart a");
  }

  @Test
  void changesNothingIfAServerIsLost() {
    change("c", ServerState.SERVER_LOST);

    assertThatThrownBy(this::run)
        .isInstanceOf(IOException.class)
        .hasMessage("c is SERVER_LOST; a rolling restart needs healthy servers");
    assertThat(calls).isEmpty();
  }

  @Test
  void stopsIfAServerDoesNotRestart() {
    restarter = server -> change(server.getName(), ServerState.SERVER_LOST);

    assertThatThrownBy(this::run)
        .hasMessage("a is not active within 5s after its restart: not restarted yet");
    assertThat(calls).containsExactly("drain a");
  }

  @Test
  void cancelsTheDrainIfTheRestartCommandFails() {
    restarter =
        server -> {
          throw new IOException("restart command failed with exit code 7");
        };

    assertThatThrownBy(this::run).hasMessage("restart command failed with exit code 7");
    assertThat(calls).containsExactly("drain a", "resume a");
  }

  @Test
  void stopsIfADiskOrDataIsLost() {
    restarter =
        server -> {
          restartWithNewEpoch(server);
          servers.computeIfPresent(
              server.getName(), (name, info) -> info.toBuilder().setLoad(load(0, 0)).build());
        };
    assertThatThrownBy(this::run).hasMessage("a has 0 healthy disks after its restart, 1 before");

    restarter = this::restartWithNewEpoch;
    lostRuns = 2;
    assertThatThrownBy(() -> run("b")).hasMessage("b lost 2 run files in its restart");
  }

  @Test
  void stopsIfAServerDoesNotStayActive() {
    restarter =
        server -> {
          restartWithNewEpoch(server);
          calls.add("restarted");
        };
    RollingRestart restart =
        new RollingRestart(
            cluster,
            restarter,
            new RollingRestart.Times(1_000, 5_000, 300, POLL_MS),
            () -> nowNanos,
            ms -> {
              nowNanos += TimeUnit.MILLISECONDS.toNanos(ms);
              if (calls.contains("restarted")) {
                change("a", ServerState.UNHEALTHY);
              }
            },
            lines::add);

    assertThatThrownBy(() -> restart.run(restart.plan(List.of())))
        .hasMessage("a did not stay active after its restart: it is UNHEALTHY");
    assertThat(calls).doesNotContain("drain b");
  }

  @Test
  void failsForAnUnknownServer() {
    assertThatThrownBy(() -> restart().plan(List.of("z"))).hasMessage("server is not known: z");
  }
}
