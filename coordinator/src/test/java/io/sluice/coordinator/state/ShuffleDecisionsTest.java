package io.sluice.coordinator.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.coordinator.cluster.ApplicationConfig;
import io.sluice.coordinator.cluster.ServerTableConfig;
import io.sluice.coordinator.cluster.Servers;
import io.sluice.proto.HeartbeatRequest;
import io.sluice.proto.PartitionRange;
import io.sluice.proto.RegisterShuffleReply;
import io.sluice.proto.RegisterShuffleRequest;
import io.sluice.proto.ServerId;
import io.sluice.proto.ServerState;
import io.sluice.proto.Status;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ShuffleDecisionsTest {
  private final FakeCluster cluster = new FakeCluster();

  @BeforeEach
  void registerApplication() {
    cluster.register("app", "ann");
  }

  private static List<String> names(RegisterShuffleReply reply) {
    return reply.getServersList().stream().map(ServerId::getName).sorted().toList();
  }

  @Test
  void assignsEveryPartitionToServersWithTheirEpochs() {
    HeartbeatRequest.Builder a = FakeCluster.beatOf("a", 1);
    a.getServerBuilder().setEpoch(77);
    cluster.heartbeat(a);
    cluster.heartbeat(FakeCluster.beatOf("b", 1));
    RegisterShuffleReply reply = cluster.shuffle(FakeCluster.shuffleOf("app", 0, 200));
    assertThat(reply.getStatus()).isEqualTo(Status.OK);
    assertThat(names(reply)).containsExactly("a:1", "b:1");
    assertThat(reply.getServersList())
        .anySatisfy(server -> assertThat(server.getEpoch()).isEqualTo(77));
    assertThat(reply.getRangesList()).hasSize(2);
    assertThat(reply.getRanges(0).getFirst()).isZero();
    assertThat(reply.getRanges(1).getFirst()).isEqualTo(reply.getRanges(0).getLast() + 1);
    assertThat(reply.getRanges(1).getLast()).isEqualTo(199);
    int assigned =
        cluster.listings.servers(cluster.view, cluster.nowMs).getServersList().stream()
            .mapToInt(server -> server.getAssignedSinceHeartbeat())
            .sum();
    assertThat(assigned).isEqualTo(200);
    cluster.heartbeat(a);
    assertThat(cluster.view.servers().get("a:1").assignedSinceHeartbeat()).isZero();
  }

  @Test
  void skipsServersThatAreNotEligible() {
    cluster.heartbeat(FakeCluster.beatOf("lost", 1));
    cluster.pass(FakeCluster.LOST_AFTER_MS);
    cluster.renew("app");
    cluster.nowMs += 1;
    cluster.heartbeat(FakeCluster.beatOf("draining", 1).setState(ServerState.SERVER_DRAINING));
    cluster.heartbeat(FakeCluster.beatOf("unhealthy", 1).setState(ServerState.UNHEALTHY));
    cluster.heartbeat(FakeCluster.beatOf("excluded", 1));
    cluster.exclude("excluded:1");
    HeartbeatRequest.Builder full = FakeCluster.beatOf("full", 1);
    full.getLoadBuilder().clearDisks().addDisks(Servers.disk(1000, 50));
    cluster.heartbeat(full);
    cluster.heartbeat(FakeCluster.beatOf("unreachable", 1));
    cluster.heartbeat(FakeCluster.beatOf("untagged", 1));
    RegisterShuffleRequest.Builder request =
        FakeCluster.shuffleOf("app", 0, 200)
            .addRequiredTags("ssd")
            .addExcludedServers("unreachable:1");

    RegisterShuffleReply none = cluster.shuffle(request);
    assertThat(none.getStatus()).isEqualTo(Status.NO_SERVERS);
    assertThat(none.getMessage())
        .isEqualTo(
            "no server can accept shuffle 0 of application app: 7 servers known: 1 lost, 1"
                + " excluded, 1 draining, 1 unhealthy, 1 nearly full, 2 without tags");

    cluster.heartbeat(FakeCluster.beatOf("unreachable", 1).addTags("ssd"));
    assertThat(cluster.shuffle(request).getMessage())
        .endsWith("1 without tags, 1 refused by client");

    cluster.heartbeat(FakeCluster.beatOf("fit", 1).addTags("hdd").addTags("ssd"));
    assertThat(names(cluster.shuffle(request))).containsExactly("fit:1");
  }

  private void serverIn(String zone, String host) {
    HeartbeatRequest.Builder beat = FakeCluster.beatOf(host, 1);
    beat.getServerBuilder().setZone(zone);
    cluster.heartbeat(beat);
  }

  @Test
  void prefersTheZoneOfARequest() {
    serverIn("a", "near");
    serverIn("b", "far");
    RegisterShuffleRequest.Builder request =
        FakeCluster.shuffleOf("app", 0, 200).setPreferredZone("a");
    RegisterShuffleReply reply = cluster.shuffle(request);
    assertThat(names(reply)).containsExactly("near:1");
    assertThat(reply.getServers(0).getZone()).as("for readers").isEqualTo("a");

    cluster.exclude("near:1");
    assertThat(names(cluster.shuffle(request))).as("no other").containsExactly("far:1");
  }

  @Test
  void choosesAServerWithFullMemoryAndFreeDisks() {
    HeartbeatRequest.Builder full = FakeCluster.beatOf("a", 1);
    full.setLoad(Servers.memoryUsed(1));
    cluster.heartbeat(full);
    assertThat(cluster.shuffle(FakeCluster.shuffleOf("app", 0, 200)).getStatus())
        .isEqualTo(Status.OK);
  }

  @Test
  void skipsAServerWithoutDisksAndWithFullMemory() {
    HeartbeatRequest.Builder full = FakeCluster.beatOf("a", 1);
    full.setLoad(Servers.memoryUsed(0.96).toBuilder().clearDisks());
    cluster.heartbeat(full);
    assertThat(cluster.shuffle(FakeCluster.shuffleOf("app", 0, 200)).getStatus())
        .isEqualTo(Status.NO_SERVERS);
  }

  @Test
  void skipsAServerWithoutHealthyDisks() {
    HeartbeatRequest.Builder broken = FakeCluster.beatOf("a", 1);
    broken
        .getLoadBuilder()
        .clearDisks()
        .addDisks(Servers.disk(1000, 1000).toBuilder().setHealthy(false));
    cluster.heartbeat(broken);
    assertThat(cluster.shuffle(FakeCluster.shuffleOf("app", 0, 200)).getStatus())
        .isEqualTo(Status.NO_SERVERS);
    broken.getLoadBuilder().addDisks(Servers.disk(1000, 1000));
    cluster.heartbeat(broken);
    assertThat(cluster.shuffle(FakeCluster.shuffleOf("app", 0, 200)).getStatus())
        .isEqualTo(Status.OK);
  }

  @Test
  void choosesAReplacementServerThatTheDriverAccepts() {
    for (int i = 0; i < 4; i++) {
      cluster.heartbeat(FakeCluster.beatOf("h" + i, 1).addTags("ssd"));
    }
    cluster.heartbeat(FakeCluster.beatOf("untagged", 1));
    cluster.shuffle(FakeCluster.shuffleOf("app", 0, 200).setReplicas(2).addRequiredTags("ssd"));
    RegisterShuffleRequest.Builder request =
        FakeCluster.shuffleOf("app", 0, 200)
            .setReplacementPartitions(30)
            .addRequiredTags("ssd")
            .addAllExcludedServers(List.of("h0:1", "h2:1", "h3:1"));
    int before = assigned("h1:1");

    RegisterShuffleReply reply = cluster.shuffle(request);

    assertThat(reply.getStatus()).isEqualTo(Status.OK);
    assertThat(names(reply)).containsExactly("h1:1");
    assertThat(reply.getRangesList())
        .containsExactly(PartitionRange.newBuilder().setLast(199).addServers(0).build());
    assertThat(assigned("h1:1")).isEqualTo(before + 30);
    assertThat(cluster.view.applications().get("app").shuffleCount()).isEqualTo(1);
    assertThat(cluster.shuffle(request.addExcludedServers("h1:1")).getStatus())
        .isEqualTo(Status.NO_SERVERS);
    assertThat(cluster.events).noneMatch(event -> event.contains("fewer replicas"));
  }

  @Test
  void choosesTheLessLoadedReplacementServer() {
    cluster.heartbeat(FakeCluster.beatOf("idle", 1));
    cluster.heartbeat(FakeCluster.beatOf("busy", 1).setLoad(Servers.memoryUsed(0.9)));
    for (int shuffle = 0; shuffle < 20; shuffle++) {
      RegisterShuffleReply reply =
          cluster.shuffle(FakeCluster.shuffleOf("app", shuffle, 9).setReplacementPartitions(1));
      assertThat(names(reply)).containsExactly("idle:1");
    }
  }

  private int assigned(String server) {
    return cluster.view.servers().get(server).assignedSinceHeartbeat();
  }

  @Test
  void limitsServersByClientAndOperator() {
    for (int i = 0; i < 20; i++) {
      cluster.heartbeat(FakeCluster.beatOf("h" + i, 1));
    }
    assertThat(cluster.shuffle(FakeCluster.shuffleOf("app", 0, 200)).getServersList()).hasSize(9);
    assertThat(
            cluster.shuffle(FakeCluster.shuffleOf("app", 1, 200).setMaxServers(3)).getServersList())
        .hasSize(3);
    assertThat(
            cluster
                .shuffle(FakeCluster.shuffleOf("app", 2, 200).setMaxServers(30))
                .getServersList())
        .hasSize(9);
  }

  @Test
  void assignsReplicasAndReportsIfThereAreFewer() {
    cluster.heartbeat(FakeCluster.beatOf("a", 1));
    cluster.heartbeat(FakeCluster.beatOf("b", 1));
    RegisterShuffleReply reply =
        cluster.shuffle(FakeCluster.shuffleOf("app", 0, 20).setReplicas(3));
    assertThat(reply.getStatus()).isEqualTo(Status.OK);
    assertThat(reply.getRangesList())
        .allSatisfy(range -> assertThat(range.getServersList()).hasSize(2).doesNotHaveDuplicates());
    assertThat(cluster.events)
        .last()
        .isEqualTo(
            "WARN shuffle assigned with fewer replicas than requested application=app shuffle=0"
                + " partitions=20 replicas=2 servers=2 replicasWanted=3");
  }

  @Test
  void assignsAShuffleAgain() {
    cluster.heartbeat(FakeCluster.beatOf("a", 1));
    assertThat(names(cluster.shuffle(FakeCluster.shuffleOf("app", 0, 20)))).containsExactly("a:1");
    cluster.heartbeat(FakeCluster.beatOf("b", 1));
    cluster.exclude("a:1");
    assertThat(names(cluster.shuffle(FakeCluster.shuffleOf("app", 0, 20)))).containsExactly("b:1");
    assertThat(
            cluster
                .listings
                .applications(cluster.view, cluster.nowMs)
                .getApplications(0)
                .getShuffles())
        .isEqualTo(1);
  }

  @Test
  void refusesAShuffleWithAChangedPartitionCount() {
    cluster.heartbeat(FakeCluster.beatOf("a", 1));
    cluster.shuffle(FakeCluster.shuffleOf("app", 3, 20));
    RegisterShuffleReply reply = cluster.shuffle(FakeCluster.shuffleOf("app", 3, 21));
    assertThat(reply.getStatus()).isEqualTo(Status.BAD_REQUEST);
    assertThat(reply.getMessage())
        .isEqualTo("shuffle 3 of application app: expected partition_count 20 as before, found 21");
  }

  @Test
  void servesAnApplicationWithManyShuffles() {
    cluster.heartbeat(FakeCluster.beatOf("a", 1));
    for (int shuffle = 0; shuffle < 200; shuffle++) {
      assertThat(cluster.shuffle(FakeCluster.shuffleOf("app", shuffle, 20)).getStatus())
          .isEqualTo(Status.OK);
    }
    assertThat(cluster.view.applications().get("app").shuffles().size()).isEqualTo(50);
    assertThat(
            cluster
                .listings
                .applications(cluster.view, cluster.nowMs)
                .getApplications(0)
                .getShuffles())
        .isEqualTo(200);
  }

  @Test
  void servesLiveApplicationsOnly() {
    cluster.heartbeat(FakeCluster.beatOf("a", 1));
    RegisterShuffleReply never = cluster.shuffle(FakeCluster.shuffleOf("other", 0, 20));
    assertThat(never.getStatus()).isEqualTo(Status.UNKNOWN_APPLICATION);
    assertThat(never.getMessage())
        .isEqualTo("application other is not registered with this coordinator: register it first");
    cluster.unregister("app");
    assertThat(cluster.shuffle(FakeCluster.shuffleOf("app", 0, 20)).getMessage())
        .isEqualTo("application app was unregistered: register it again");
    cluster.register("app", "ann");
    cluster.nowMs += FakeCluster.LEASE_MS;
    cluster.heartbeat(FakeCluster.beatOf("a", 1));
    assertThat(cluster.shuffle(FakeCluster.shuffleOf("app", 0, 20)).getMessage())
        .isEqualTo("the lease of application app has expired: register it again");
  }

  @Test
  void assignsNothingInTheSilentPeriod() {
    FakeCluster quiet =
        new FakeCluster(
            new ServerTableConfig(
                FakeCluster.LOST_AFTER_MS, 5000, FakeCluster.FORGET_AFTER_MS, 10, 20_000),
            new ApplicationConfig(FakeCluster.LEASE_MS, 10, 0, 10, 10));
    quiet.register("app", "ann");
    quiet.heartbeat(FakeCluster.beatOf("a", 1));
    quiet.nowMs += 19_999;
    RegisterShuffleReply reply = quiet.shuffle(FakeCluster.shuffleOf("app", 0, 20));
    assertThat(reply.getStatus()).isEqualTo(Status.BUSY);
    assertThat(reply.getMessage())
        .isEqualTo(
            "this coordinator started 19999 ms ago and waits for heartbeats of servers for"
                + " 20000 ms before it assigns shuffles: retry later");
    quiet.nowMs += 1;
    assertThat(quiet.shuffle(FakeCluster.shuffleOf("app", 0, 20)).getStatus()).isEqualTo(Status.OK);
  }

  @Test
  void acceptsTheMaximumPartitionCount() {
    cluster.heartbeat(FakeCluster.beatOf("a", 1));
    cluster.heartbeat(FakeCluster.beatOf("b", 1));
    RegisterShuffleReply reply =
        cluster.shuffle(FakeCluster.shuffleOf("app", 0, (1 << 24) - 1).setReplicas(2));
    PartitionRange last = reply.getRanges(reply.getRangesCount() - 1);
    assertThat(last.getLast()).isEqualTo((1 << 24) - 2);
  }

  static Stream<Arguments> badRequests() {
    return Stream.of(
        bad(
            "application id: expected 1 to 256 of [A-Za-z0-9._@+$~-], found \"a b\"",
            request -> request.getShuffleBuilder().setApplication("a b")),
        bad(
            "shuffle: expected a number from 0, found -1",
            request -> request.getShuffleBuilder().setShuffle(-1)),
        bad(
            "replacement_partitions: expected 0 (none) to partition_count 1, found 2",
            request -> request.setPartitionCount(1).setReplacementPartitions(2)),
        bad(
            "partition_count: expected 1 to 16777215, found 0",
            request -> request.setPartitionCount(0)),
        bad(
            "partition_count: expected 1 to 16777215, found 16777216",
            request -> request.setPartitionCount(1 << 24)),
        bad("replicas: expected 1 to 16, found 0", request -> request.setReplicas(0)),
        bad("replicas: expected 1 to 16, found 17", request -> request.setReplicas(17)),
        bad(
            "max_servers: expected 0 (no limit) or more, found -1",
            request -> request.setMaxServers(-1)),
        bad(
            "preferred_zone: expected 1 to 64 of [A-Za-z0-9._-], found \"a b\"",
            request -> request.setPreferredZone("a b")),
        bad(
            "required_tags: expected 1 to 64 of [A-Za-z0-9._-], found \"\"",
            request -> request.addRequiredTags("")));
  }

  private static Arguments bad(String message, Consumer<RegisterShuffleRequest.Builder> change) {
    return Arguments.of(message, change);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("badRequests")
  void refusesAnInvalidRequestWithOneLine(
      String message, Consumer<RegisterShuffleRequest.Builder> change) {
    cluster.heartbeat(FakeCluster.beatOf("a", 1));
    RegisterShuffleRequest.Builder request = FakeCluster.shuffleOf("app", 0, 20);
    change.accept(request);
    RegisterShuffleReply reply = cluster.shuffle(request);
    assertThat(reply.getStatus()).isEqualTo(Status.BAD_REQUEST);
    assertThat(reply.getMessage()).isEqualTo(message);
  }
}
