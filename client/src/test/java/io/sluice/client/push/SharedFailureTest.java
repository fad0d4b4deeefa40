package io.sluice.client.push;

import static io.sluice.client.push.TestPushes.PARTITIONS;
import static io.sluice.client.push.TestPushes.THREE_TRIES;
import static io.sluice.client.push.TestPushes.addAll;
import static io.sluice.client.push.TestPushes.assertWhole;
import static io.sluice.client.push.TestPushes.config;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakeTransport.Fate;
import io.sluice.client.fake.FakeTransport.Faults;
import io.sluice.client.push.FailingServers.FaultKind;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.ServerId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Failing servers that one task found, and that other tasks of the process know. */
class SharedFailureTest {
  @Test
  void connectsOncePerProcessToAServerThatDeniesAccess() throws Exception {
    List<String> asked = new ArrayList<>();
    Faults faults =
        new Faults() {
          @Override
          public Fate connect(ServerId server) throws SluiceException {
            asked.add(server.getName());
            throw new SluiceException(StatusCode.DENIED, "it proved nothing");
          }
        };
    try (FakeCluster cluster = FakeCluster.inline(1, faults)) {
      cluster.use(config(1));
      ShuffleAssignment assignment = cluster.assign(PARTITIONS, 1, 1, 1);
      for (int attempt = 0; attempt < 3; attempt++) {
        CollectingSink sink = new CollectingSink();
        try (FramedPushSession session =
            cluster.push(assignment, attempt, attempt, new PushOptions(null, null, sink))) {
          addAll(session);
          session.finish();

          assertWhole(cluster, assignment, sink, attempt, session.partitionLengths());
          assertThat(session.counters().rerouted().localBytes())
              .isEqualTo(session.counters().bytes());
        }
      }
    }
    assertThat(asked).containsExactly("server-0");
  }

  @Test
  void waitsForAFailingServerOnceForAllTasksOfAProcess() throws Exception {
    FailingServers faults = new FailingServers().with(0, FaultKind.UNREACHABLE, 0);
    try (FakeCluster cluster = FakeCluster.inline(2, faults)) {
      cluster.use(config(1));
      ShuffleAssignment assignment = cluster.assign(PARTITIONS, 2, 1);
      for (int attempt = 0; attempt < 5; attempt++) {
        CollectingSink sink = new CollectingSink();
        try (FramedPushSession session =
            cluster.push(assignment, attempt, 1, new PushOptions(null, null, sink))) {
          addAll(session);
          session.finish();
          assertWhole(cluster, assignment, sink, attempt, session.partitionLengths());
          assertThat(session.counters().rerouted().localFrames()).isPositive();
        }
        assertThat(faults.connects(0)).isEqualTo(THREE_TRIES.maxAttempts());
      }
      assertThat(cluster.health().isFailing(cluster.server(0).id())).isTrue();
    }
  }

  @Test
  void readersStillWaitForAServerForWhichNoTaskHasWaited() throws Exception {
    FakeCluster[] made = new FakeCluster[1];
    Faults faults =
        new Faults() {
          @Override
          public Fate connect(ServerId server) {
            if (server.getName().equals("server-1")) {
              return Fate.DONE;
            }
            // A reader leaves the server without waiting at the same time.
            made[0].health().markUnreachable(server);
            return Fate.LOST_BEFORE;
          }
        };
    try (FakeCluster cluster = FakeCluster.inline(2, faults)) {
      made[0] = cluster;
      cluster.use(config(1));
      ShuffleAssignment assignment = cluster.assign(PARTITIONS, 2, 1);
      CollectingSink sink = new CollectingSink();
      try (FramedPushSession session =
          cluster.push(assignment, 1, 1, new PushOptions(null, null, sink))) {
        addAll(session);
        session.finish();
        assertThat(session.counters().rerouted().localFrames()).isPositive();
      }
      assertThat(cluster.health().isFailing(cluster.server(0).id())).isTrue();
      assertThat(cluster.health().isGivenUp(cluster.server(0).id())).isFalse();
    }
  }

  @Test
  void grantsTheFullRetryPeriodWithoutAnAlternative() throws Exception {
    FailingServers faults = new FailingServers().with(0, FaultKind.UNREACHABLE, 0);
    try (FakeCluster cluster = FakeCluster.inline(2, faults)) {
      cluster.use(config(1));
      ShuffleAssignment assignment = cluster.assign(PARTITIONS, 2, 1);
      FakeDriver driver = new FakeDriver(cluster, assignment);
      cluster.health().markFailing(cluster.server(0).id());
      for (int round = 1; round <= 2; round++) {
        try (FramedPushSession session =
            cluster.push(assignment, 5, 1, new PushOptions(null, driver, null))) {
          assertThatThrownBy(
                  () -> {
                    addAll(session);
                    session.finish();
                  })
              .isInstanceOf(PushFailedException.class);
        }
        assertThat(faults.connects(0)).isEqualTo(round * THREE_TRIES.maxAttempts());
      }
      faults.recover();
      try (FramedPushSession session =
          cluster.push(assignment, 6, 1, new PushOptions(null, driver, null))) {
        addAll(session);
        session.finish();
        assertWhole(cluster, assignment, null, 6, session.partitionLengths());
      }
      assertThat(cluster.health().isFailing(cluster.server(0).id())).isFalse();
    }
  }
}
