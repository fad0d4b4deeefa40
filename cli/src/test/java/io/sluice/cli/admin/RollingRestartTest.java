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
  private final List<String> happened = new ArrayList<>();
  private final List<String> lines = new ArrayList<>();
  private long nowNanos;

  /** What a server does when it is restarted. */
  private Restarter restarter = this::comeBack;

  private long lostRuns;

  private final Cluster cluster =
      new Cluster() {
        @Override
        public List<ServerInfo> servers() {
          return List.copyOf(servers.values());
        }

        @Override
        public void drain(ServerId server) {
          happened.add("drain " + server.getName());
          change(server.getName(), ServerState.SERVER_DRAINING);
        }

        @Override
        public void resume(ServerId server) {
          happened.add("resume " + server.getName());
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

  private void comeBack(ServerId server) {
    happened.add("restart " + server.getName());
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
  void oneAfterAnotherInTheOrderOfTheirNames() throws Exception {
    assertThat(run()).isEqualTo(3);

    assertThat(happened)
        .containsExactly("drain a", "restart a", "drain b", "restart b", "drain c", "restart c");
    assertThat(lines).contains("[1/3] a: restarts", "[3/3] c: done, holds 5 B, took 0s");
  }

  @Test
  void onlyThoseThatAreNamedInThatOrder() throws Exception {
    change("b", ServerState.SERVER_DRAINING);

    assertThat(run("c", "a")).isEqualTo(2);

    assertThat(happened).containsExactly("drain c", "restart c", "drain a", "restart a");
  }

  @Test
  void waitsForMemoryButNotForEver() throws Exception {
    servers.computeIfPresent("a", (name, info) -> info.toBuilder().setLoad(load(1, 800)).build());

    run("a");

    assertThat(nowNanos).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(1_300));
    assertThat(happened).containsExactly("drain a", "restart a");
  }

  @Test
  void nothingIsTouchedWhileAServerIsNotWell() {
    change("c", ServerState.SERVER_LOST);

    assertThatThrownBy(this::run)
        .isInstanceOf(IOException.class)
        .hasMessage("c is SERVER_LOST: no server is restarted while one is not well");
    assertThat(happened).isEmpty();
  }

  @Test
  void stopsWhenAServerDoesNotComeBack() {
    restarter = server -> change(server.getName(), ServerState.SERVER_LOST);

    assertThatThrownBy(this::run)
        .hasMessage(
            "a does not work again within 5s of its restart: waits for its next life to report");
    assertThat(happened).containsExactly("drain a");
  }

  @Test
  void aServerWhoseCommandFailsGoesOn() {
    restarter =
        server -> {
          throw new IOException("the restart command ended with 7");
        };

    assertThatThrownBy(this::run).hasMessage("the restart command ended with 7");
    assertThat(happened).containsExactly("drain a", "resume a");
  }

  @Test
  void stopsWhenADiskOrDataStaysAway() {
    restarter =
        server -> {
          comeBack(server);
          servers.computeIfPresent(
              server.getName(), (name, info) -> info.toBuilder().setLoad(load(0, 0)).build());
        };
    assertThatThrownBy(this::run).hasMessage("a came back with 0 good disks of 1");

    restarter = this::comeBack;
    lostRuns = 2;
    assertThatThrownBy(() -> run("b")).hasMessage("b came back and misses 2 run files");
  }

  @Test
  void stopsWhenAServerDoesNotStayWell() {
    restarter =
        server -> {
          comeBack(server);
          happened.add("soon");
        };
    RollingRestart restart =
        new RollingRestart(
            cluster,
            restarter,
            new RollingRestart.Times(1_000, 5_000, 300, POLL_MS),
            () -> nowNanos,
            ms -> {
              nowNanos += TimeUnit.MILLISECONDS.toNanos(ms);
              if (happened.contains("soon")) {
                change("a", ServerState.UNHEALTHY);
              }
            },
            lines::add);

    assertThatThrownBy(() -> restart.run(restart.plan(List.of())))
        .hasMessage("a did not stay well after its restart: it is UNHEALTHY");
    assertThat(happened).doesNotContain("drain b");
  }

  @Test
  void namesAServerThatIsNotKnown() {
    assertThatThrownBy(() -> restart().plan(List.of("z")))
        .hasMessage("no server of that name is known: z");
  }
}
