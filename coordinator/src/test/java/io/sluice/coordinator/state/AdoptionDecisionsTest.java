package io.sluice.coordinator.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.coordinator.cluster.RemoteDirectories;
import io.sluice.coordinator.cluster.Servers;
import io.sluice.proto.Adoption;
import io.sluice.proto.DiskState;
import io.sluice.proto.HeartbeatReply;
import io.sluice.proto.HeartbeatRequest;
import io.sluice.proto.ServerState;
import io.sluice.proto.ShuffleId;
import io.sluice.proto.ShuffleMove;
import io.sluice.proto.Status;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AdoptionDecisionsTest {
  private static final String PATH = "s3a://bucket/shuffle";
  private static final ShuffleId SHUFFLE =
      ShuffleId.newBuilder().setApplication("app").setShuffle(3).build();

  private final FakeCluster cluster = new FakeCluster();

  private static HeartbeatRequest.Builder beat(String host, String... directories) {
    return beatAt(PATH, host, directories);
  }

  private static HeartbeatRequest.Builder beatAt(String path, String host, String... directories) {
    HeartbeatRequest.Builder beat = FakeCluster.beatOf(host, 1);
    beat.getLoadBuilder()
        .addDisks(
            DiskState.newBuilder()
                .setPath(path)
                .setKind("REMOTE")
                .setHealth(DiskState.Health.HEALTHY)
                .addAllDirectories(List.of(directories)));
    return beat;
  }

  private static ShuffleMove move(String from, String to) {
    return ShuffleMove.newBuilder()
        .setShuffle(SHUFFLE)
        .setFrom(from)
        .setTo(Servers.id(to, 1))
        .build();
  }

  private void lose(HeartbeatRequest.Builder... live) {
    for (int i = 0; i < 3; i++) {
      cluster.pass(FakeCluster.LOST_AFTER_MS / 2);
      for (HeartbeatRequest.Builder each : live) {
        cluster.heartbeat(each);
      }
    }
  }

  @Test
  void oneLiveServerAdoptsEachDirectoryOfALostServer() {
    cluster.heartbeat(beat("lost", "lost_1", "earlier_1"));
    HeartbeatRequest.Builder[] live = {beat("a", "a_1"), beat("b", "b_1"), beat("c", "c_1")};
    for (HeartbeatRequest.Builder each : live) {
      assertThat(cluster.heartbeat(each).getAdoptionsList()).as("all are live").isEmpty();
    }
    lose(live);

    List<Adoption> orders = new ArrayList<>();
    for (HeartbeatRequest.Builder each : live) {
      List<Adoption> first = cluster.heartbeat(each).getAdoptionsList();
      assertThat(cluster.heartbeat(each).getAdoptionsList()).as("repeated").isEqualTo(first);
      orders.addAll(first);
    }

    assertThat(orders)
        .containsExactlyInAnyOrder(
            Adoption.newBuilder().setServer("lost:1").setDirectory("lost_1").build(),
            Adoption.newBuilder().setServer("lost:1").setDirectory("earlier_1").build());
  }

  @Test
  void anAdoptedDirectoryIsNotAdoptedAgain() {
    cluster.heartbeat(beat("lost", "lost_1"));
    cluster.heartbeat(beat("a", "a_1"));
    lose(beat("a", "a_1"));
    assertThat(cluster.heartbeat(beat("a", "a_1")).getAdoptionsCount()).isEqualTo(1);

    assertThat(cluster.heartbeat(beat("a", "a_1", "lost_1")).getAdoptionsList()).isEmpty();
    for (String host : List.of("b", "c", "d", "e", "f", "g", "h", "i")) {
      cluster.heartbeat(beat(host, host + "_1"));
      assertThat(cluster.heartbeat(beat(host, host + "_1")).getAdoptionsList()).isEmpty();
    }
    // The adopter is lost, too: another server adopts both directories.
    lose(beat("b", "b_1"));
    assertThat(cluster.heartbeat(beat("b", "b_1")).getAdoptionsList())
        .extracting(Adoption::getDirectory)
        .contains("a_1", "lost_1");
  }

  @Test
  void onlyHealthyActiveServersOfTheSamePathAdopt() {
    cluster.heartbeat(beat("lost", "lost_1").addTags("ssd"));
    HeartbeatRequest.Builder untagged = beat("untagged", "untagged_1");
    HeartbeatRequest.Builder excluded = beat("excluded", "excluded_1").addTags("ssd");
    cluster.exclude("excluded:1");
    HeartbeatRequest.Builder other =
        beatAt("hdfs://elsewhere/shuffle", "other", "other_1").addTags("ssd");
    HeartbeatRequest.Builder draining =
        beat("draining", "draining_1").setState(ServerState.SERVER_DRAINING).addTags("ssd");
    HeartbeatRequest.Builder local = FakeCluster.beatOf("local", 1).addTags("ssd");
    HeartbeatRequest.Builder suspect = beat("suspect", "suspect_1").addTags("ssd");
    suspect.getLoadBuilder().getDisksBuilder(1).setHealth(DiskState.Health.SUSPECT);
    HeartbeatRequest.Builder[] live = {untagged, excluded, other, draining, local, suspect};
    lose(live);
    for (HeartbeatRequest.Builder each : live) {
      assertThat(cluster.heartbeat(each).getAdoptionsList()).isEmpty();
    }
    cluster.heartbeat(beat("a", "a_1").addTags("ssd"));
    assertThat(cluster.heartbeat(beat("a", "a_1").addTags("ssd")).getAdoptionsCount()).isEqualTo(1);
  }

  @Test
  void driversGetTheAdopterOfALostServer() {
    cluster.register("app", "ann");
    cluster.heartbeat(beat("lost", "lost_1"));
    cluster.heartbeat(beat("a", "a_1"));
    ShuffleMove move = move("lost:1", "a");
    cluster.heartbeat(beat("a", "a_1", "lost_1").addMoves(move));
    assertThat(cluster.renew("app").getMovesList()).as("the server is live").isEmpty();
    for (int i = 0; i < 3; i++) {
      cluster.pass(FakeCluster.LOST_AFTER_MS / 2);
      cluster.renew("app");
      cluster.heartbeat(beat("a", "a_1"));
    }
    cluster.heartbeat(beat("a", "a_1").addMoves(move));
    assertThat(cluster.renew("app").getMovesList()).as("nothing was adopted").isEmpty();

    cluster.heartbeat(beat("a", "a_1", "lost_1").addMoves(move));

    assertThat(cluster.renew("app").getMovesList()).containsExactly(move);
    cluster.renew("app", move);
    assertThat(cluster.heartbeat(beat("a", "a_1", "lost_1").addMoves(move)).getAppliedMovesList())
        .containsExactly(move);
    // The lost server returns; the move stays.
    cluster.heartbeat(beat("lost", "lost_1"));
    assertThat(cluster.heartbeat(beat("a", "a_1", "lost_1").addMoves(move)).getAppliedMovesList())
        .containsExactly(move);
  }

  @Test
  void driversGetTheAdopterAfterTheLostServerHasReturned() {
    cluster.register("app", "ann");
    cluster.heartbeat(beat("lost", "lost_1"));
    for (int i = 0; i < 3; i++) {
      cluster.pass(FakeCluster.LOST_AFTER_MS / 2);
      cluster.renew("app");
      cluster.heartbeat(beat("a", "a_1"));
    }
    cluster.heartbeat(beat("lost", "lost_2"));
    ShuffleMove move = move("lost:1", "a");

    cluster.heartbeat(beat("a", "a_1", "lost_1").addMoves(move));

    assertThat(cluster.renew("app").getMovesList()).containsExactly(move);
  }

  @Test
  void aCoordinatorThatStartsAfterTheLossKnowsTheDirectories() {
    cluster.register("app", "ann");
    cluster.heartbeat(beat("lost", "lost_1").addTags("ssd"));
    cluster.heartbeat(beat("a", "a_1"));
    cluster.heartbeat(beat("b", "b_1").addTags("ssd"));
    cluster.restart();
    HeartbeatRequest.Builder b = beat("b", "b_1").addTags("ssd");
    assertThat(cluster.heartbeat(b).getAdoptionsList()).as("it may return").isEmpty();
    cluster.pass(FakeCluster.LOST_AFTER_MS + 1);
    cluster.renew("app");
    assertThat(cluster.heartbeat(beat("a", "a_1")).getAdoptionsList()).isEmpty();
    cluster.heartbeat(b);

    assertThat(cluster.heartbeat(b).getAdoptionsList())
        .containsExactly(Adoption.newBuilder().setServer("lost:1").setDirectory("lost_1").build());
    ShuffleMove move = move("lost:1", "b");
    HeartbeatRequest.Builder adopter = beat("b", "b_1", "lost_1").addTags("ssd").addMoves(move);
    assertThat(cluster.heartbeat(adopter).getAdoptionsList()).isEmpty();
    assertThat(cluster.renew("app").getMovesList()).containsExactly(move);
    cluster.restart();
    cluster.heartbeat(adopter);
    assertThat(cluster.renew("app").getMovesList()).as("after a restart").containsExactly(move);
  }

  @Test
  void aServerThatRestartsWithoutItsDirectoryIsNotLostFirst() {
    cluster.register("app", "ann");
    cluster.heartbeat(beat("restarted", "r_1"));
    cluster.heartbeat(beat("a", "a_1"));

    assertThat(cluster.heartbeat(beat("restarted", "r_2")).getAdoptionsList()).isEmpty();
    assertThat(cluster.heartbeat(beat("restarted", "r_2")).getAdoptionsList()).isEmpty();
    assertThat(cluster.heartbeat(beat("a", "a_1")).getAdoptionsList())
        .containsExactly(
            Adoption.newBuilder().setServer("restarted:1").setDirectory("r_1").build());
    ShuffleMove move = move("restarted:1", "a");
    cluster.heartbeat(beat("a", "a_1", "r_1").addMoves(move));
    assertThat(cluster.renew("app").getMovesList()).containsExactly(move);
  }

  @Test
  void aDirectoryWithoutFilesIsReleased() {
    cluster.heartbeat(beat("lost", "lost_1"));
    HeartbeatRequest.Builder released = beat("a", "a_1");
    released.getLoadBuilder().getDisksBuilder(1).addEmptyDirectories("lost_1");
    HeartbeatRequest.Builder b = beat("b", "b_1");
    cluster.heartbeat(released);
    lose(beat("a", "a_1"), b);
    assertThat(cluster.view.remoteDirectories().of("lost:1").current())
        .as("of another server")
        .containsExactly("lost_1");
    cluster.heartbeat(beat("a", "a_1", "lost_1"));

    cluster.heartbeat(released);

    assertThat(cluster.view.remoteDirectories().size()).isEqualTo(2);
    for (HeartbeatRequest.Builder each : List.of(released, b)) {
      assertThat(cluster.heartbeat(each).getAdoptionsList()).isEmpty();
    }
  }

  @Test
  void directoriesThatALeavingServerHasEmptiedAreNotAdopted() {
    cluster.heartbeat(beat("left", "left_1", "lost_1"));
    cluster.heartbeat(beat("a", "a_1"));
    HeartbeatRequest.Builder last = beat("left", "left_1", "lost_1").setLeaving(true);
    last.getLoadBuilder()
        .getDisksBuilder(1)
        .addAllEmptyDirectories(List.of("left_1", "lost_1", "a_1"));
    cluster.heartbeat(last);
    cluster.heartbeat(last);
    assertThat(cluster.heartbeat(beat("a", "a_1")).getAdoptionsList()).isEmpty();
    assertThat(cluster.view.remoteDirectories().all())
        .extracting(RemoteDirectories::server)
        .as("it cannot release directories of others")
        .containsExactly("a:1");
  }

  @Test
  void directoriesWithFilesOfAServerThatLeftAreAdopted() {
    cluster.heartbeat(beat("left", "earlier_1"));
    cluster.heartbeat(beat("left", "left_1"));
    HeartbeatRequest.Builder draining = beat("a", "a_1").setState(ServerState.SERVER_DRAINING);
    cluster.heartbeat(draining);
    HeartbeatRequest.Builder last = beat("left", "left_1", "lost_1").setLeaving(true);
    last.getLoadBuilder().getDisksBuilder(1).addEmptyDirectories("lost_1");
    cluster.heartbeat(last);
    lose(draining);
    for (long passed = 0;
        passed < FakeCluster.FORGET_AFTER_MS / 2;
        passed += FakeCluster.LOST_AFTER_MS / 2) {
      cluster.pass(FakeCluster.LOST_AFTER_MS / 2);
      cluster.heartbeat(draining);
    }
    cluster.heartbeat(beat("a", "a_1"));
    assertThat(cluster.heartbeat(beat("a", "a_1")).getAdoptionsList())
        .containsExactlyInAnyOrder(
            Adoption.newBuilder().setServer("left:1").setDirectory("left_1").build(),
            Adoption.newBuilder().setServer("left:1").setDirectory("earlier_1").build());
  }

  @Test
  void aDirectoryThatALiveServerServesIsNotReleasedByAnother() {
    cluster.heartbeat(beat("lost", "lost_1"));
    cluster.heartbeat(beat("a", "a_1"));
    lose(beat("a", "a_1"));
    cluster.heartbeat(beat("a", "a_1", "lost_1"));
    cluster.heartbeat(beat("b", "b_1", "lost_1"));
    HeartbeatRequest.Builder last = beat("a", "a_1", "lost_1").setLeaving(true);
    last.getLoadBuilder().getDisksBuilder(1).addAllEmptyDirectories(List.of("a_1", "lost_1"));
    cluster.heartbeat(last);
    assertThat(cluster.view.remoteDirectories().of("b:1").current())
        .containsExactly("b_1", "lost_1");
  }

  @Test
  void directoriesAreForgottenWithTheirServerUnlessAnotherOneServesThem() {
    cluster.heartbeat(beat("lost", "lost_1"));
    cluster.heartbeat(beat("gone", "gone_1"));
    cluster.heartbeat(beat("a", "a_1"));
    cluster.restart();
    long hour = FakeCluster.FORGET_AFTER_MS;
    HeartbeatRequest.Builder a = beat("a", "a_1", "lost_1").setState(ServerState.SERVER_DRAINING);
    for (long passed = 0; passed <= hour; passed += FakeCluster.LOST_AFTER_MS / 2) {
      cluster.heartbeat(a);
      cluster.pass(FakeCluster.LOST_AFTER_MS / 2);
    }
    assertThat(cluster.view.remoteDirectories().all())
        .extracting(RemoteDirectories::server)
        .containsExactly("a:1", "lost:1");
  }

  @Test
  void refusesMovesFromOneOtherServerToAnother() {
    HeartbeatReply reply = cluster.heartbeat(beat("a", "a_1").addMoves(move("lost:1", "b")));
    assertThat(reply.getStatus()).isEqualTo(Status.BAD_REQUEST);
    assertThat(reply.getMessage()).startsWith("moves: expected from a:1, found ");
  }

  @Test
  void refusesInvalidDirectories() {
    for (String name : List.of("", "..", "a/b", "x".repeat(129))) {
      assertThat(cluster.heartbeat(beat("a", name)).getStatus()).isEqualTo(Status.BAD_REQUEST);
    }
  }
}
