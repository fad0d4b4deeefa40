package io.sluice.client.push;

import static io.sluice.client.push.TestPushes.PARTITIONS;
import static io.sluice.client.push.TestPushes.add;
import static io.sluice.client.push.TestPushes.addAll;
import static io.sluice.client.push.TestPushes.assertWhole;
import static io.sluice.client.push.TestPushes.config;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakeTransport.Faults;
import io.sluice.client.push.FailingServers.FaultKind;
import io.sluice.client.push.ReplacementServers.Cause;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.ServerId;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Failover from failing servers: 0 and 1 are assigned, 2 and 3 are spare. */
class FailoverTest {
  private static Stream<Arguments> combinations() {
    List<Arguments> all = new ArrayList<>();
    for (FaultKind kind : FaultKind.values()) {
      for (int from : new int[] {0, 2}) {
        for (int quorum = 0; quorum <= 2; quorum++) {
          for (int spares = 0; spares <= 1; spares++) {
            for (boolean sink : new boolean[] {false, true}) {
              all.add(Arguments.of(kind, from, Math.max(1, quorum), quorum > 0, spares, sink));
            }
          }
        }
      }
    }
    return all.stream();
  }

  /**
   * One of two servers fails before or after its first acknowledgements: with and without a
   * replacement server, local output, a replica, and a quorum that needs it.
   */
  @ParameterizedTest(name = "{0} from push {1}, quorum {2}, replicated {3}, {4} spare, sink {5}")
  @MethodSource("combinations")
  void usesTheFirstAvailableAlternative(
      FaultKind kind, int from, int quorum, boolean replicated, int spares, boolean hasSink)
      throws Exception {
    FailingServers faults = new FailingServers().with(0, kind, from);
    CollectingSink sink = hasSink ? new CollectingSink() : null;
    try (FakeCluster cluster = FakeCluster.inline(4, faults)) {
      cluster.use(config(quorum));
      ShuffleAssignment assignment = cluster.assign(PARTITIONS, 2, replicated ? 2 : 1, 2);
      FakeDriver driver =
          spares == 0
              ? new FakeDriver(cluster, assignment)
              : new FakeDriver(cluster, assignment, 2);
      boolean otherReplica = replicated && quorum == 1;
      boolean succeeds = spares > 0 || hasSink || otherReplica;
      try (FramedPushSession session =
          cluster.push(assignment, 5, 1, new PushOptions(null, driver, sink))) {
        if (!succeeds) {
          assertThatThrownBy(() -> addAllAndFinish(session))
              .isInstanceOfSatisfying(
                  PushFailedException.class, e -> assertThat(e.server()).isEqualTo("server-0"));
          return;
        }
        addAll(session);
        session.finish();

        PushCounters counters = session.counters();
        assertThat(driver.asked()).containsExactly("FAILED server-0 []");
        assertThat(counters.rerouted().replacementServers()).isEqualTo(spares);
        assertThat(counters.rerouted().localFrames() > 0).isEqualTo(spares == 0 && !otherReplica);
        assertThat(counters.rerouted().reroutedFrames() > 0).isEqualTo(spares > 0);
        if (sink != null) {
          assertThat(counters.rerouted().localFrames()).isEqualTo(sink.frames());
          assertThat(counters.rerouted().localBytes())
              .isEqualTo(sink.blocks().stream().mapToLong(BlockHeader::blockLength).sum());
        }
        assertWhole(cluster, driver.newest(), sink, 5, session.partitionLengths());
        // Adjacent blocks at a server count as a replica; both replicas must exist if required.
        if (replicated && quorum == 2 && spares == 0) {
          assertThat(sink.blocks()).isNotEmpty();
        }
      }
    }
  }

  @Test
  void usesLocalOutputWhenEveryServerIsUnreachable() throws Exception {
    FailingServers faults = new FailingServers();
    for (int i = 0; i < 4; i++) {
      faults.with(i, FaultKind.UNREACHABLE, 0);
    }
    CollectingSink sink = new CollectingSink();
    try (FakeCluster cluster = FakeCluster.inline(4, faults)) {
      cluster.use(config(1));
      ShuffleAssignment assignment = cluster.assign(PARTITIONS, 2, 1, 2);
      FakeDriver driver = new FakeDriver(cluster, assignment, 2, 3);
      try (FramedPushSession session =
          cluster.push(assignment, 5, 1, new PushOptions(null, driver, sink))) {
        addAll(session);
        session.finish();

        assertThat(session.counters().bytes())
            .isEqualTo(session.counters().rerouted().localBytes());
        assertWhole(cluster, driver.newest(), sink, 5, session.partitionLengths());
      }
      assertThat(driver.newest().servers()).hasSize(4);
    }
  }

  /** One server is no quorum of two, even if it is the target of both replicas. */
  @ParameterizedTest(name = "spare {0}")
  @ValueSource(ints = {1, 2})
  void oneServerForBothReplicasIsOneCopy(int spare) throws Exception {
    FailingServers faults = new FailingServers().with(0, FaultKind.UNREACHABLE, 0);
    if (spare == 2) {
      faults.with(1, FaultKind.UNREACHABLE, 0);
    }
    CollectingSink sink = new CollectingSink();
    try (FakeCluster cluster = FakeCluster.inline(4, faults)) {
      cluster.use(config(2));
      ShuffleAssignment assignment = cluster.assign(PARTITIONS, 2, 2, 2);
      FakeDriver driver = new FakeDriver(cluster, assignment, spare, spare);
      try (FramedPushSession session =
          cluster.push(assignment, 5, 1, new PushOptions(null, driver, sink))) {
        addAll(session);
        session.finish();

        assertThat(sink.frames()).as("frames that lost their second server").isPositive();
        assertThat(cluster.server(spare).accepted()).isNotEmpty();
      }
    }
  }

  /** A driver without another server assigns one server to both replicas; that is one copy. */
  @Test
  void laterAttemptsCountOneServerForBothReplicasAsOneCopy() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(3, new Faults() {})) {
      cluster.use(config(2));
      ShuffleAssignment degraded = replaceFirstOfThree(cluster);
      assertThat(degraded.serversOf(0)).extracting(ServerId::getName).containsOnly("server-1");
      CollectingSink sink = new CollectingSink();
      try (FramedPushSession session =
          cluster.push(degraded, 5, 1, new PushOptions(null, null, sink))) {
        addAll(session);
        session.finish();

        assertWhole(cluster, degraded, sink, 5, session.partitionLengths());
        for (int partition = 0; partition < PARTITIONS; partition++) {
          int replicas = Set.copyOf(degraded.serversOf(partition)).size();
          int expected = partition;
          assertThat(sink.blocks().stream().anyMatch(block -> block.partition() == expected))
              .as("partition %d with %d servers has local output", partition, replicas)
              .isEqualTo(replicas == 1);
        }
      }
    }
  }

  @Test
  void anAttemptFailsIfOneServerHasBothReplicasAndThereIsNoLocalOutput() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(3, new Faults() {})) {
      cluster.use(config(2));
      ShuffleAssignment degraded = replaceFirstOfThree(cluster);
      try (FramedPushSession session = cluster.push(degraded, 5, 1, PushOptions.NONE)) {
        assertThatThrownBy(() -> addAllAndFinish(session))
            .isInstanceOf(PushFailedException.class)
            .hasMessageContaining("server-1")
            .hasMessageContaining("rss.data.replica.write requires 2 servers");
      }
    }
  }

  /** Server 0 fails, and a real driver finds no server that has none of its partitions. */
  private static ShuffleAssignment replaceFirstOfThree(FakeCluster cluster) {
    ApplicationAssignments driver =
        new ApplicationAssignments(
            (shuffle, partitions, excluded, zone) -> Optional.empty(), 3, () -> 0);
    driver.register(cluster.assign(PARTITIONS, 3, 2, 3));
    return driver.replace(7, "server-0", Cause.FAILED, List.of());
  }

  @Test
  void followsAReplacementServerThatFailsToTheNext() throws Exception {
    FailingServers faults =
        new FailingServers().with(0, FaultKind.CUT_BEFORE, 1).with(2, FaultKind.CUT_BEFORE, 1);
    try (FakeCluster cluster = FakeCluster.inline(4, faults)) {
      cluster.use(config(1));
      ShuffleAssignment assignment = cluster.assign(PARTITIONS, 2, 1, 2);
      FakeDriver driver = new FakeDriver(cluster, assignment, 2, 3);
      try (FramedPushSession session =
          cluster.push(assignment, 5, 1, new PushOptions(null, driver, null))) {
        addAll(session);
        session.finish();

        assertThat(session.counters().rerouted().replacementServers()).isEqualTo(2);
        assertThat(driver.asked()).containsExactly("FAILED server-0 []", "FAILED server-2 []");
        assertThat(cluster.server(3).accepted()).isNotEmpty();
        assertWhole(cluster, driver.newest(), null, 5, session.partitionLengths());
      }
    }
  }

  @Test
  void usesAReplacementThatAnotherTaskReportedWithoutRequest() throws Exception {
    FailingServers faults = new FailingServers().with(0, FaultKind.CUT_BEFORE, 2);
    try (FakeCluster cluster = FakeCluster.inline(4, faults)) {
      cluster.use(config(1));
      ShuffleAssignment first = cluster.assign(PARTITIONS, 2, 1, 2);
      FakeDriver driver = new FakeDriver(cluster, first, 2);
      driver.change("server-0", Cause.FAILED, List.of());
      try (FramedPushSession session =
          cluster.push(driver.newest(), 5, 1, new PushOptions(null, driver, null))) {
        addAll(session);
        session.finish();

        assertThat(driver.asked()).isEmpty();
        assertThat(faults.connects(0)).isZero();
        assertWhole(cluster, driver.newest(), null, 5, session.partitionLengths());
      }
    }
  }

  @Test
  void doesNotWaitForTheDriverWhileTheWindowHasRoom() throws Exception {
    FailingServers faults = new FailingServers().with(0, FaultKind.CUT_BEFORE, 0);
    try (FakeCluster cluster = FakeCluster.inline(4, faults)) {
      cluster.use(config(1));
      ShuffleAssignment assignment = cluster.assign(PARTITIONS, 2, 1, 2);
      FakeDriver driver = new FakeDriver(cluster, assignment, 2);
      driver.delayAnswers();
      try (FramedPushSession session =
          cluster.push(assignment, 5, 1, new PushOptions(null, driver, null))) {
        // Some frames for server 0; for server 1 far more than the in-flight limit.
        add(session, 0, 4000);
        for (int i = 0; i < 100; i++) {
          add(session, 7, 4000);
        }
        driver.answerAll();
        session.finish();

        assertWhole(cluster, driver.newest(), null, 5, session.partitionLengths());
      }
    }
  }

  @Test
  void usesLocalOutputIfTheDriverDoesNotReplyInTime() throws Exception {
    FailingServers faults = new FailingServers().with(0, FaultKind.CUT_BEFORE, 0);
    CollectingSink sink = new CollectingSink();
    try (FakeCluster cluster = FakeCluster.inline(4, faults)) {
      cluster.use(config(1));
      ShuffleAssignment assignment = cluster.assign(PARTITIONS, 2, 1, 2);
      FakeDriver driver = new FakeDriver(cluster, assignment, 2);
      driver.delayAnswers();
      try (FramedPushSession session =
          cluster.push(assignment, 5, 1, new PushOptions(null, driver, sink))) {
        addAll(session);
        session.finish();
        // A late answer is ignored.
        driver.answerAll();

        assertThat(session.counters().rerouted().localFrames()).isPositive();
        assertWhole(cluster, assignment, sink, 5, session.partitionLengths());
      }
    }
  }

  @Test
  void treatsAFailedRequestAsNoReplacement() throws Exception {
    FailingServers faults = new FailingServers().with(0, FaultKind.CUT_BEFORE, 0);
    CollectingSink sink = new CollectingSink();
    try (FakeCluster cluster = FakeCluster.inline(2, faults)) {
      cluster.use(config(1));
      ShuffleAssignment assignment = cluster.assign(PARTITIONS, 2, 1);
      ReplacementServers broken =
          (known, server, cause, partitions) ->
              CompletableFuture.failedFuture(new IllegalStateException("driver is gone"));
      try (FramedPushSession session =
          cluster.push(assignment, 5, 1, new PushOptions(null, broken, sink))) {
        addAll(session);
        session.finish();
        assertWhole(cluster, assignment, sink, 5, session.partitionLengths());
      }
    }
  }

  /** Frames that a server acknowledged and lost are not sent again: the attempt fails. */
  @ParameterizedTest
  @EnumSource(
      value = StatusCode.class,
      names = {"STALE_EPOCH", "EXPIRED"})
  void failsAtOnceWhenAcknowledgedBlocksAreLost(StatusCode how) throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(4, new Faults() {})) {
      ShuffleAssignment assignment = cluster.assign(PARTITIONS, 2, 1, 2);
      FakeDriver driver = new FakeDriver(cluster, assignment, 2);
      try (FramedPushSession session =
          cluster.push(assignment, 5, 1, new PushOptions(null, driver, new CollectingSink()))) {
        addAll(session);
        if (how == StatusCode.EXPIRED) {
          cluster.server(0).expire();
        } else {
          cluster.server(0).restart();
          cluster.transport().dropConnections();
        }
        assertThatThrownBy(() -> addAllAndFinish(session))
            .isInstanceOfSatisfying(
                PushFailedException.class,
                e -> {
                  assertThat(e.code()).isEqualTo(how);
                  assertThat(e.server()).isEqualTo("server-0");
                });
        assertThat(driver.asked()).isEmpty();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void continuesAtTheOtherReplicaOfLostBlocksIfItIsEnough(int quorum) throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(4, new Faults() {})) {
      cluster.use(config(quorum));
      ShuffleAssignment assignment = cluster.assign(PARTITIONS, 2, 2, 2);
      FakeDriver driver = new FakeDriver(cluster, assignment, 2);
      try (FramedPushSession session =
          cluster.push(assignment, 5, 1, new PushOptions(null, driver, null))) {
        addAll(session);
        cluster.server(0).restart();
        cluster.transport().dropConnections();
        if (quorum == 2) {
          assertThatThrownBy(() -> addAllAndFinish(session))
              .isInstanceOfSatisfying(
                  PushFailedException.class, e -> assertThat(e.server()).isEqualTo("server-0"));
        } else {
          addAllAndFinish(session);
          assertWhole(cluster, assignment, null, 5, session.partitionLengths());
          assertThat(cluster.server(0).accepted()).isEmpty();
        }
        assertThat(driver.asked()).isEmpty();
      }
    }
  }

  private static void addAllAndFinish(PushSession session) throws IOException {
    addAll(session);
    session.finish();
  }

  @Test
  void failsOverIfTheShuffleExpiredAtAServerWithoutAcknowledgedBlocks() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(4, new Faults() {})) {
      ShuffleAssignment assignment = cluster.assign(PARTITIONS, 2, 1, 2);
      FakeDriver driver = new FakeDriver(cluster, assignment, 2);
      cluster.server(0).expire();
      try (FramedPushSession session =
          cluster.push(assignment, 5, 1, new PushOptions(null, driver, null))) {
        addAll(session);
        session.finish();
        assertWhole(cluster, driver.newest(), null, 5, session.partitionLengths());
      }
      assertThat(cluster.health().isFailing(cluster.server(0).id())).isFalse();
    }
  }

  @Test
  void failsWithTheErrorOfLocalOutputAndFreesAllMemory() throws Exception {
    FailingServers faults = new FailingServers().with(0, FaultKind.UNREACHABLE, 0);
    CollectingSink sink = new CollectingSink();
    sink.fill();
    try (FakeCluster cluster = FakeCluster.inline(2, faults)) {
      cluster.use(config(1));
      ShuffleAssignment assignment = cluster.assign(PARTITIONS, 2, 1);
      try (FramedPushSession session =
          cluster.push(assignment, 5, 1, new PushOptions(null, null, sink))) {
        assertThatThrownBy(() -> addAllAndFinish(session))
            .isInstanceOf(IOException.class)
            .hasMessage("No space left on device");
      }
    }
  }

  @Test
  void endsItsWaitForAReplacementServerWhenInterrupted() throws Exception {
    FailingServers faults = new FailingServers().with(0, FaultKind.LEAVING, 0);
    CountDownLatch asked = new CountDownLatch(1);
    try (FakeCluster cluster = FakeCluster.threaded(2, faults)) {
      ShuffleAssignment assignment = cluster.assign(PARTITIONS, 2, 1);
      ReplacementServers silent =
          (known, server, cause, partitions) -> {
            asked.countDown();
            return new CompletableFuture<>();
          };
      Throwable[] thrown = new Throwable[1];
      Thread task =
          new Thread(
              () -> {
                try (FramedPushSession session =
                    cluster.push(assignment, 5, 1, new PushOptions(null, silent, null))) {
                  addAll(session);
                  session.finish();
                } catch (IOException e) {
                  thrown[0] = e;
                }
              });
      task.start();
      assertThat(asked.await(60, TimeUnit.SECONDS)).isTrue();
      task.interrupt();
      task.join(20_000);
      assertThat(thrown[0]).isInstanceOf(InterruptedIOException.class);
    }
  }
}
