package io.sluice.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.coordinator.ApplicationSession;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.coordinator.ShuffleRegistration;
import io.sluice.client.coordinator.ShuffleRegistration.Assigned;
import io.sluice.client.coordinator.ShuffleRegistration.Reason;
import io.sluice.client.coordinator.ShuffleRegistration.Refused;
import io.sluice.client.push.ApplicationAssignments;
import io.sluice.common.error.SluiceException;
import io.sluice.proto.PartitionRange;
import io.sluice.proto.RegisterShuffleReply;
import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DriverShufflesTest {
  private final Session session = new Session();
  private final ApplicationAssignments assignments =
      new ApplicationAssignments(session::replacementServer, 10, () -> 0);
  private final List<String> refused = new ArrayList<>();
  private final DriverShuffles shuffles =
      new DriverShuffles(
          session,
          assignments,
          (shuffle, partitions, why) -> refused.add(shuffle + "/" + partitions + " " + why));

  private static final class Session implements ApplicationSession {
    Reason refusal;
    final List<Integer> unregistered = new ArrayList<>();

    @Override
    public ShuffleRegistration registerShuffle(int shuffle, int partitions) {
      return refusal == null
          ? new Assigned(assignment(shuffle, partitions))
          : new Refused(refusal, "as the test wants it");
    }

    @Override
    public Optional<ServerId> replacementServer(
        int shuffle, int partitions, Collection<String> excluded, String zone) {
      return Optional.empty();
    }

    @Override
    public void unregisterShuffle(int shuffle) {
      unregistered.add(shuffle);
    }

    @Override
    public void close() {}
  }

  private static ShuffleAssignment assignment(int shuffle, int partitions) {
    RegisterShuffleReply reply =
        RegisterShuffleReply.newBuilder()
            .addServers(
                ServerId.newBuilder()
                    .setName("s:1")
                    .setHost("s")
                    .setRpcPort(1)
                    .setNettyPort(2)
                    .setEpoch(3))
            .addRanges(PartitionRange.newBuilder().setLast(partitions - 1).addServers(0))
            .build();
    try {
      return ShuffleAssignment.of(
          ShuffleId.newBuilder().setApplication("a").setShuffle(shuffle).build(),
          partitions,
          reply);
    } catch (SluiceException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void returnsTheAssignmentAndUnregistersOnce() {
    assertThat(shuffles.register(4, 10)).get().isEqualTo(assignment(4, 10));
    assertThat(shuffles.anyOnLocalDisks()).isFalse();
    assertThat(shuffles.assigned()).containsExactly(4);
    assertThat(assignments.newest(4)).isEqualTo(assignment(4, 10));

    shuffles.unregister(4);
    shuffles.unregister(4);

    assertThat(session.unregistered).containsExactly(4);
    assertThat(shuffles.assigned()).isEmpty();
    assertThat(assignments.newest(4)).isNull();
  }

  @Test
  void storageIsNoLongerReliableOnceAShuffleWasRefused() {
    session.refusal = Reason.NO_SERVERS;
    assertThat(shuffles.register(0, 10)).isEmpty();
    assertThat(refused).containsExactly("0/10 NO_SERVERS: as the test wants it");
    session.refusal = null;

    assertThat(shuffles.register(1, 10)).isPresent();

    assertThat(shuffles.anyOnLocalDisks()).isTrue();
    shuffles.unregister(0);
    assertThat(session.unregistered).isEmpty();
  }
}
