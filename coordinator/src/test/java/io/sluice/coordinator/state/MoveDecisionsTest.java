package io.sluice.coordinator.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.coordinator.cluster.Servers;
import io.sluice.proto.HeartbeatReply;
import io.sluice.proto.HeartbeatRequest;
import io.sluice.proto.MoveTargetReply;
import io.sluice.proto.MoveTargetRequest;
import io.sluice.proto.ServerState;
import io.sluice.proto.ShuffleId;
import io.sluice.proto.ShuffleLoad;
import io.sluice.proto.ShuffleMove;
import io.sluice.proto.Status;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Choice of move targets, and notification of drivers. */
class MoveDecisionsTest {
  private static final ShuffleId SHUFFLE =
      ShuffleId.newBuilder().setApplication("app").setShuffle(3).build();

  private final FakeCluster cluster = new FakeCluster();

  @BeforeEach
  void registerApplication() {
    cluster.register("app", "ann");
  }

  private static HeartbeatRequest.Builder leaving() {
    return FakeCluster.beatOf("leaving", 1).setState(ServerState.SERVER_DRAINING);
  }

  private static HeartbeatRequest.Builder withData(String host, int port) {
    HeartbeatRequest.Builder beat = FakeCluster.beatOf(host, port);
    beat.getStoredBuilder().addShuffles(ShuffleLoad.newBuilder().setShuffle(SHUFFLE));
    return beat;
  }

  private static MoveTargetRequest.Builder request() {
    return MoveTargetRequest.newBuilder()
        .setShuffle(SHUFFLE)
        .setFrom("leaving:1")
        .setPartitions(10);
  }

  private static ShuffleMove moveTo(String host) {
    return ShuffleMove.newBuilder()
        .setShuffle(SHUFFLE)
        .setFrom("leaving:1")
        .setTo(Servers.id(host, 1))
        .build();
  }

  private String target() {
    MoveTargetReply reply = cluster.target(request().build());
    assertThat(reply.getStatus()).as(reply.getMessage()).isEqualTo(Status.OK);
    return reply.getServer().getName();
  }

  @Test
  void choosesAnActiveServerWithAllTagsOfTheLeavingServer() {
    cluster.heartbeat(leaving().addTags("ssd"));
    cluster.heartbeat(FakeCluster.beatOf("untagged", 1));
    cluster.heartbeat(FakeCluster.beatOf("draining", 1).setState(ServerState.SERVER_DRAINING));
    cluster.heartbeat(FakeCluster.beatOf("excluded", 1).addTags("ssd"));
    cluster.exclude("excluded:1");

    MoveTargetReply none = cluster.target(request().build());
    assertThat(none.getStatus()).isEqualTo(Status.NO_SERVERS);
    assertThat(none.getMessage())
        .isEqualTo(
            "no server can receive the data of server leaving:1: 4 servers known: 1 excluded, 2 draining,"
                + " 1 without tags");

    cluster.heartbeat(FakeCluster.beatOf("fit", 1).addTags("hdd").addTags("ssd"));
    assertThat(target()).isEqualTo("fit:1");
    assertThat(cluster.view.servers().get("fit:1").assignedSinceHeartbeat()).isEqualTo(10);
  }

  @Test
  void prefersHostsAndServersWithoutDataOfTheShuffle() {
    cluster.heartbeat(leaving());
    cluster.heartbeat(withData("replica", 1));
    for (int i = 0; i < 10; i++) {
      assertThat(target()).as("no other server").isEqualTo("replica:1");
    }
    cluster.heartbeat(FakeCluster.beatOf("replica", 2));
    for (int i = 0; i < 10; i++) {
      assertThat(target()).as("on the same host, but another server").isEqualTo("replica:2");
    }
    cluster.heartbeat(FakeCluster.beatOf("other", 1));
    for (int i = 0; i < 10; i++) {
      assertThat(target()).isEqualTo("other:1");
    }
  }

  @Test
  void skipsServersThatAreNotEligible() {
    cluster.heartbeat(leaving());
    cluster.heartbeat(FakeCluster.beatOf("a", 1));
    cluster.heartbeat(FakeCluster.beatOf("b", 1));
    for (int i = 0; i < 10; i++) {
      assertThat(cluster.target(request().addExcludedServers("a:1").build()).getServer().getName())
          .isEqualTo("b:1");
    }
  }

  @Test
  void refusesInvalidRequests() {
    assertThat(cluster.target(request().setFrom("").build()).getStatus())
        .isEqualTo(Status.BAD_REQUEST);
    assertThat(cluster.target(request().clearShuffle().build()).getMessage())
        .startsWith("application id: expected");
    assertThat(cluster.target(request().build()).getMessage())
        .isEqualTo("server leaving:1 is not known to this coordinator, so its tags are unknown");
  }

  @Test
  void repeatsAMoveUntilTheDriverHasAppliedIt() {
    ShuffleMove move = moveTo("a");
    assertThat(cluster.renew("app").getMovesList()).isEmpty();

    HeartbeatReply first = cluster.heartbeat(leaving().addMoves(move));
    assertThat(first.getAppliedMovesList()).isEmpty();
    assertThat(cluster.renew("app").getMovesList()).containsExactly(move);
    assertThat(cluster.renew("app").getMovesList()).as("not applied").containsExactly(move);
    assertThat(cluster.heartbeat(leaving().addMoves(move)).getAppliedMovesList()).isEmpty();

    assertThat(cluster.renew("app", move).getMovesList()).isEmpty();
    assertThat(cluster.heartbeat(leaving().addMoves(move)).getAppliedMovesList())
        .containsExactly(move);
    assertThat(cluster.events)
        .contains(
            "INFO shuffle is moved to another server application=app shuffle=3 server=leaving:1 to=a:1",
            "INFO driver uses the new server of a moved shuffle application=app shuffle=3 server=leaving:1 to=a:1");
  }

  @Test
  void repeatsAMoveAfterTheServerLeftAndAfterADriverRestart() {
    ShuffleMove move = moveTo("a");
    cluster.heartbeat(leaving().addMoves(move));
    cluster.heartbeat(leaving().addMoves(move).setLeaving(true));
    assertThat(cluster.view.servers().get("leaving:1")).isNull();
    cluster.renew("app", move);
    assertThat(cluster.renew("app").getMovesList()).isEmpty();

    cluster.registerAgain("app", "ann");

    assertThat(cluster.renew("app").getMovesList()).containsExactly(move);
  }

  @Test
  void aNewTargetIsANewMove() {
    cluster.heartbeat(leaving().addMoves(moveTo("a")));
    cluster.renew("app", moveTo("a"));

    HeartbeatReply reply = cluster.heartbeat(leaving().addMoves(moveTo("b")));

    assertThat(reply.getAppliedMovesList()).isEmpty();
    assertThat(cluster.renew("app", moveTo("a")).getMovesList()).containsExactly(moveTo("b"));
    cluster.renew("app", moveTo("b"));
    assertThat(cluster.heartbeat(leaving().addMoves(moveTo("b"))).getAppliedMovesList())
        .containsExactly(moveTo("b"));
  }

  @Test
  void recordsMovesOnceTheApplicationIsRegistered() {
    ShuffleMove move =
        moveTo("a").toBuilder().setShuffle(SHUFFLE.toBuilder().setApplication("late")).build();
    cluster.heartbeat(leaving().addMoves(move));
    cluster.register("late", "ann");
    assertThat(cluster.renew("late").getMovesList()).isEmpty();

    cluster.heartbeat(leaving().addMoves(move));

    assertThat(cluster.renew("late").getMovesList()).containsExactly(move);
  }

  @Test
  void refusesMovesOfAnotherServer() {
    HeartbeatReply reply = cluster.heartbeat(FakeCluster.beatOf("b", 1).addMoves(moveTo("a")));

    assertThat(reply.getStatus()).isEqualTo(Status.BAD_REQUEST);
    assertThat(reply.getMessage()).isEqualTo("moves: expected from b:1, found \"leaving:1\"");
    assertThat(List.copyOf(cluster.renew("app").getMovesList())).isEmpty();
  }
}
