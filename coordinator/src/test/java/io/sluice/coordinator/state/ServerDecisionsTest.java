package io.sluice.coordinator.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.sluice.coordinator.cluster.ApplicationConfig;
import io.sluice.coordinator.cluster.ServerTableConfig;
import io.sluice.coordinator.cluster.Servers;
import io.sluice.proto.ApplicationLease;
import io.sluice.proto.HeartbeatReply;
import io.sluice.proto.HeartbeatRequest;
import io.sluice.proto.ServerLoad;
import io.sluice.proto.ServerState;
import io.sluice.proto.Status;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ServerDecisionsTest {
  private final FakeCluster cluster = new FakeCluster();

  private static HeartbeatRequest.Builder epoch(long epoch) {
    HeartbeatRequest.Builder beat = FakeCluster.beatOf("a", 1);
    beat.getServerBuilder().setEpoch(epoch);
    return beat;
  }

  @Test
  void addsAServerAtItsFirstHeartbeat() {
    HeartbeatReply reply =
        cluster.heartbeat(FakeCluster.beatOf("a", 1).addTags("ssd").addTags("fast").addTags("ssd"));
    assertThat(reply.getStatus()).isEqualTo(Status.OK);
    assertThat(reply.getHeartbeatIntervalMs()).isEqualTo(5000);
    assertThat(reply.getLeaseMs()).isEqualTo(FakeCluster.LEASE_MS);
    assertThat(cluster.view.servers().get("a:1").tags()).containsExactly("fast", "ssd");
    assertThat(cluster.events)
        .containsExactly("INFO server joined server=a:1 epoch=1 state=ACTIVE tags=[fast, ssd]");
  }

  @Test
  void refusesAHeartbeatOfAnEarlierEpoch() {
    cluster.heartbeat(epoch(5));
    HeartbeatReply reply = cluster.heartbeat(epoch(4).setState(ServerState.UNHEALTHY));
    assertThat(reply.getStatus()).isEqualTo(Status.STALE_EPOCH);
    assertThat(reply.getMessage())
        .isEqualTo(
            "server a:1: expected epoch 5 or later, found 4 of an earlier start of the process");
    assertThat(cluster.stateOf("a:1")).isEqualTo(ServerState.ACTIVE);
  }

  @Test
  void aLeavingServerIsNotLost() {
    cluster.heartbeat(epoch(5));

    assertThat(cluster.heartbeat(epoch(5).setLeaving(true)).getStatus()).isEqualTo(Status.OK);

    assertThat(cluster.view.servers().size()).isZero();
    assertThat(cluster.events)
        .last()
        .isEqualTo("INFO decommissioned server left server=a:1 epoch=5");
    cluster.heartbeat(epoch(5).setLeaving(true));
    assertThat(cluster.events).hasSize(2);
  }

  @Test
  void replacesAServerByOneOfALaterEpoch() {
    cluster.heartbeat(epoch(5));
    assertThat(cluster.heartbeat(epoch(6)).getStatus()).isEqualTo(Status.OK);
    assertThat(cluster.view.servers().get("a:1").id().getEpoch()).isEqualTo(6);
    assertThat(cluster.events)
        .last()
        .isEqualTo("WARN server restarted server=a:1 epoch=6 state=ACTIVE earlierEpoch=5");
  }

  @Test
  void detectsALostServerAndItsReturn() {
    cluster.heartbeat(epoch(5));
    cluster.pass(FakeCluster.LOST_AFTER_MS);
    assertThat(cluster.stateOf("a:1")).isEqualTo(ServerState.ACTIVE);
    cluster.pass(1);
    assertThat(cluster.stateOf("a:1")).isEqualTo(ServerState.SERVER_LOST);
    assertThat(cluster.events)
        .last()
        .isEqualTo("WARN server lost server=a:1 epoch=5 silentMs=30001");
    int logged = cluster.events.size();
    cluster.pass(10_000);
    assertThat(cluster.events).hasSize(logged);

    cluster.heartbeat(epoch(5));
    assertThat(cluster.stateOf("a:1")).isEqualTo(ServerState.ACTIVE);
    assertThat(cluster.events)
        .last()
        .isEqualTo(
            "INFO lost server reported again server=a:1 epoch=5 state=ACTIVE silentMs=40001");
  }

  @Test
  void removesALostServer() {
    cluster.heartbeat(epoch(5));
    cluster.pass(FakeCluster.LOST_AFTER_MS + 1);
    cluster.pass(FakeCluster.FORGET_AFTER_MS);
    assertThat(cluster.view.servers().size()).isZero();
    assertThat(cluster.events)
        .last()
        .isEqualTo("INFO lost server removed from the list server=a:1");
  }

  @Test
  void reportsAServersChangeOfStateOnce() {
    cluster.heartbeat(epoch(5));
    cluster.heartbeat(epoch(5).setState(ServerState.SERVER_DRAINING));
    cluster.heartbeat(epoch(5).setState(ServerState.SERVER_DRAINING));
    assertThat(cluster.events)
        .hasSize(2)
        .last()
        .isEqualTo(
            "INFO server changed state server=a:1 epoch=5 state=SERVER_DRAINING"
                + " earlierState=ACTIVE");
  }

  @Test
  void treatsAnUnknownStateAsUnhealthy() {
    assertThat(cluster.heartbeat(epoch(5).setStateValue(77)).getStatus()).isEqualTo(Status.OK);
    assertThat(cluster.stateOf("a:1")).isEqualTo(ServerState.UNHEALTHY);
  }

  @Test
  void showsAServerAsExcludedUntilItIsIncluded() {
    cluster.heartbeat(epoch(5));
    cluster.exclude("a-1");
    assertThat(cluster.stateOf("a:1")).isEqualTo(ServerState.EXCLUDED);
    cluster.exclude();
    assertThat(cluster.stateOf("a:1")).isEqualTo(ServerState.ACTIVE);
  }

  @Test
  void returnsTheLeasesOfApplicationsToAServer() {
    cluster.register("live", "ann");
    cluster.register("ended", "ann");
    cluster.unregister("ended");
    cluster.register("expired", "ann");
    cluster.nowMs += FakeCluster.LEASE_MS - 1000;
    cluster.renew("live");
    cluster.nowMs += 1000;
    HeartbeatReply reply =
        cluster.heartbeat(
            epoch(5)
                .addApplications("live")
                .addApplications("ended")
                .addApplications("expired")
                .addApplications("unknown"));
    assertThat(reply.getLeasesList())
        .extracting(
            ApplicationLease::getApplication,
            ApplicationLease::getState,
            ApplicationLease::getRemainingMs)
        .containsExactly(
            tuple("live", ApplicationLease.State.LIVE, FakeCluster.LEASE_MS - 1000),
            tuple("ended", ApplicationLease.State.ENDED, 0L),
            tuple("expired", ApplicationLease.State.UNKNOWN, 0L),
            tuple("unknown", ApplicationLease.State.UNKNOWN, 0L));
  }

  @Test
  void limitsKnownServers() {
    FakeCluster small =
        new FakeCluster(
            new ServerTableConfig(
                FakeCluster.LOST_AFTER_MS, 5000, FakeCluster.FORGET_AFTER_MS, 1, 0),
            new ApplicationConfig(FakeCluster.LEASE_MS, 10, 0, 10, 10));
    assertThat(small.heartbeat(FakeCluster.beatOf("a", 1)).getStatus()).isEqualTo(Status.OK);
    HeartbeatReply refused = small.heartbeat(FakeCluster.beatOf("b", 1));
    assertThat(refused.getStatus()).isEqualTo(Status.BUSY);
    assertThat(refused.getMessage()).contains("has 1 servers, the maximum");
    assertThat(small.heartbeat(FakeCluster.beatOf("a", 1)).getStatus()).isEqualTo(Status.OK);
  }

  @Test
  void estimatesThePartitionSize() {
    cluster.register("app", "ann");
    cluster.heartbeat(epoch(5));
    for (int shuffle = 0; shuffle < 40; shuffle++) {
      cluster.shuffle(FakeCluster.shuffleOf("app", shuffle, 10_000));
      cluster.nowMs += 1000;
      // 10,000 partitions and 10 MB per second: 1000 bytes each; the minimum estimate is 64 KiB.
      cluster.heartbeat(
          epoch(5)
              .setLoad(Servers.idleLoad().toBuilder().setPushBytesPerSecond(10_000L * 200_000)));
    }
    assertThat(cluster.view.partitionSize().expectedBytes()).isBetween(200_000.0, 450_000.0);
  }

  static Stream<Arguments> badHeartbeats() {
    return Stream.of(
        bad(
            "server name: expected 1 to 256 of [A-Za-z0-9._:[]-], found \"\"",
            beat -> beat.getServerBuilder().clearName()),
        bad(
            "server name: expected 1 to 256 of [A-Za-z0-9._:[]-], found \"a?b\"",
            beat -> beat.getServerBuilder().setName("a\nb")),
        bad(
            "server host: expected 1 to 256 of [A-Za-z0-9._:[]-], found \"\"",
            beat -> beat.getServerBuilder().clearHost()),
        bad(
            "server host: expected 2001:db8::7, found \"[2001:DB8::7]\"",
            beat -> beat.getServerBuilder().setHost("[2001:DB8::7]")),
        bad(
            "server host: \"fe80::7\" is an IPv6 address of a single network (link-local, or with a"
                + " scope such as %eth0), which other hosts cannot use; expected a global or"
                + " unique local address, such as 2001:db8::7",
            beat -> beat.getServerBuilder().setHost("fe80::7")),
        bad(
            "server host: \"a:1\" is not a host; expected a name, an IPv4 address or an IPv6"
                + " address, such as server1, 10.0.0.7 or 2001:db8::7",
            beat -> beat.getServerBuilder().setHost("a:1")),
        bad(
            "server host: expected an address that clients can connect to, found ::",
            beat -> beat.getServerBuilder().setHost("::")),
        bad(
            "rpc_port: expected 1 to 65535, found 0",
            beat -> beat.getServerBuilder().setRpcPort(0)),
        bad(
            "netty_port: expected 0 (none) to 65535, found 65536",
            beat -> beat.getServerBuilder().setNettyPort(65536)),
        bad(
            "epoch: expected milliseconds since 1970, found 0",
            beat -> beat.getServerBuilder().setEpoch(0)),
        bad(
            "state: expected ACTIVE, SERVER_DRAINING or UNHEALTHY, found SERVER_STATE_UNSPECIFIED",
            HeartbeatRequest.Builder::clearState),
        bad(
            "state: expected ACTIVE, SERVER_DRAINING or UNHEALTHY, found EXCLUDED",
            beat -> beat.setState(ServerState.EXCLUDED)),
        bad(
            "load: expected no negative bytes, found -3",
            beat -> beat.setLoad(ServerLoad.newBuilder().setStoredBytes(-3))),
        bad(
            "disk: expected no negative bytes, found free_bytes=-2 capacity_bytes=1",
            beat -> beat.getLoadBuilder().addDisks(Servers.disk(1, -2))),
        bad(
            "tags: expected 1 to 64 of [A-Za-z0-9._-], found \"a b\"",
            beat -> beat.addTags("a b")));
  }

  private static Arguments bad(String message, Consumer<HeartbeatRequest.Builder> change) {
    return Arguments.of(message, change);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("badHeartbeats")
  void refusesAnInvalidHeartbeatWithOneLine(
      String message, Consumer<HeartbeatRequest.Builder> change) {
    HeartbeatRequest.Builder beat = FakeCluster.beatOf("a", 1);
    change.accept(beat);
    HeartbeatReply reply = cluster.heartbeat(beat);
    assertThat(reply.getStatus()).isEqualTo(Status.BAD_REQUEST);
    assertThat(reply.getMessage()).isEqualTo(message);
    assertThat(cluster.view.servers().size()).isZero();
  }
}
