package io.sluice.client.push;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakeTransport.Fate;
import io.sluice.client.fake.FakeTransport.Faults;
import io.sluice.client.server.DirectMemory;
import io.sluice.client.server.RetryPolicy;
import io.sluice.client.server.ServerTimes;
import io.sluice.common.block.BlockCodec;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.Push;
import io.sluice.proto.ServerId;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PushSessionTest {
  private static final Faults NONE = new Faults() {};

  private static byte[] noise(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }

  private static void add(PushSession session, int partition, int length) throws Exception {
    session.add(partition, noise(length), 0, length, 1);
  }

  /** Outcomes of the pushes, in order; later pushes succeed. */
  private static Faults pushes(IntFunction<Fate> fates) {
    AtomicInteger count = new AtomicInteger();
    return new Faults() {
      @Override
      public Fate push(ServerId server, Push push, ByteBuf body) {
        return fates.apply(count.getAndIncrement());
      }
    };
  }

  private static Faults refusals(int times, StatusCode code) {
    AtomicInteger count = new AtomicInteger();
    return new Faults() {
      @Override
      public Fate push(ServerId server, Push push, ByteBuf body) throws SluiceException {
        if (count.getAndIncrement() < times) {
          throw new SluiceException(code, "refused");
        }
        return Fate.DONE;
      }
    };
  }

  @Test
  void sendsOnePushToEachServerForASmallTask() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(2, NONE);
        FramedPushSession session = cluster.push(cluster.assign(200, 4, 1), 1, 0)) {
      session.beginFinalPass();
      for (int partition = 0; partition < 200; partition += 3) {
        add(session, partition, 40);
      }
      session.finish();

      for (int i = 0; i < 2; i++) {
        assertThat(cluster.server(i).pushLengths()).hasSize(1);
        assertThat(cluster.server(i).accepted())
            .isNotEmpty()
            .allMatch(BlockHeader::isLast)
            .allMatch(header -> header.sequence() == 0 && header.payloadLength() > 0);
      }
      assertThat(session.counters().frames()).isEqualTo(2);
    }
  }

  @Test
  void sendsNothingAndDoesNotConnectForAnEmptyTask() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(2, NONE);
        FramedPushSession session = cluster.push(cluster.assign(10, 2, 1), 1, 0)) {
      session.finish();

      assertThat(cluster.transport().connects()).isZero();
      assertThat(session.partitionLengths()).containsOnly(0).hasSize(10);
    }
  }

  @Test
  void needsNoEndMarksInAFinalPassOfAnySize() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(2, NONE);
        FramedPushSession session = cluster.push(cluster.assign(40, 2, 1), 1, 0)) {
      session.beginFinalPass();
      for (int partition = 0; partition < 40; partition++) {
        for (int i = 0; i < 3; i++) {
          add(session, partition, 3000);
        }
      }
      session.finish();

      for (int i = 0; i < 2; i++) {
        assertThat(cluster.server(i).pushLengths()).hasSizeGreaterThan(5);
        assertThat(cluster.server(i).accepted()).noneMatch(h -> h.payloadLength() == 0);
      }
      assertEveryPartitionIsComplete(cluster, session, 40);
    }
  }

  @Test
  void marksTheEndOfPartitionsWhoseBlocksWereSent() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(2, NONE);
        FramedPushSession session = cluster.push(cluster.assign(40, 2, 1), 1, 0)) {
      for (int pass = 0; pass < 3; pass++) {
        for (int partition = 0; partition < 40; partition++) {
          add(session, partition, 2000);
        }
      }
      session.finish();

      assertThat(cluster.server(0).accepted()).anyMatch(h -> h.payloadLength() == 0);
      assertEveryPartitionIsComplete(cluster, session, 40);
    }
  }

  private static void assertEveryPartitionIsComplete(
      FakeCluster cluster, FramedPushSession session, int partitions) {
    long[] lengths = session.partitionLengths();
    for (int i = 0; i < partitions; i++) {
      int partition = i;
      int server = partition < partitions / 2 ? 0 : 1;
      assertThat(cluster.server(server).isComplete(partition, 1)).isTrue();
      assertThat(lengths[partition])
          .isEqualTo(
              cluster.server(server).accepted().stream()
                  .filter(header -> header.partition() == partition)
                  .mapToLong(BlockHeader::payloadLength)
                  .sum());
    }
  }

  @Test
  void memoryDoesNotGrowWithTheNumberOfServers() throws Exception {
    int servers = 40;
    try (FakeCluster cluster = FakeCluster.inline(servers, NONE);
        FramedPushSession session = cluster.push(cluster.assign(servers, servers, 1), 1, 0)) {
      long most = 0;
      for (int pass = 0; pass < 20; pass++) {
        for (int partition = 0; partition < servers; partition++) {
          add(session, partition, 300);
          most = Math.max(most, session.bufferedBytes());
        }
      }
      session.finish();

      PushConfig config = cluster.pushConfig();
      assertThat(most).isBetween(1L, config.inFlightBytes() + 5L * config.frameBytes());
      assertThat(session.bufferedBytes()).isZero();
      for (int partition = 0; partition < servers; partition++) {
        assertThat(cluster.server(partition).isComplete(partition, 1)).isTrue();
      }
    }
  }

  @Test
  void splitsABatchLargerThanAFrameIntoContinuedBlocks() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, NONE);
        FramedPushSession session = cluster.push(cluster.assign(1, 1, 1), 1, 0)) {
      add(session, 0, 100_000);
      session.finish();

      List<BlockHeader> headers = cluster.server(0).accepted();
      assertThat(headers).hasSizeGreaterThan(5);
      assertThat(headers.subList(0, headers.size() - 1)).allMatch(BlockHeader::isContinued);
      assertThat(headers.get(headers.size() - 1).isContinued()).isFalse();
      assertThat(headers.stream().mapToInt(BlockHeader::recordCount).sum()).isEqualTo(1);
      assertThat(cluster.server(0).pushLengths()).allMatch(length -> length <= 16 << 10);
    }
  }

  @ParameterizedTest
  @EnumSource(BlockCodec.class)
  void doesNotCompressIncompressiblePayloads(BlockCodec codec) throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, NONE)) {
      RetryPolicy quick = FakeCluster.QUICK;
      cluster.use(new PushConfig(16 << 10, 64 << 10, 1, codec, 3, quick, quick));
      try (FramedPushSession session = cluster.push(cluster.assign(2, 1, 1), 1, 0)) {
        add(session, 0, 1000);
        session.add(1, new byte[1000], 0, 1000, 1);
        session.finish();
      }
      List<BlockHeader> headers = cluster.server(0).accepted();
      assertThat(headers.get(0).codec()).isEqualTo(BlockCodec.NONE);
      assertThat(headers.get(0).payloadLength()).isEqualTo(1000);
      assertThat(headers.get(1).codec()).isEqualTo(codec);
    }
  }

  @Test
  void resendsFramesThatMayBeLost() throws Exception {
    Faults faults = pushes(n -> n == 1 ? Fate.LOST_BEFORE : n == 3 ? Fate.LOST_AFTER : Fate.DONE);
    try (FakeCluster cluster = FakeCluster.inline(1, faults);
        FramedPushSession session = cluster.push(cluster.assign(1, 1, 1), 1, 0)) {
      for (int i = 0; i < 30; i++) {
        add(session, 0, 3000);
      }
      session.finish();

      assertThat(cluster.server(0).isComplete(0, 1)).isTrue();
      assertThat(cluster.server(0).duplicates()).isPositive();
      assertThat(session.counters().retries()).isPositive();
    }
  }

  /** More expiries than attempts of the retry policy: none of them counts as a failure. */
  @Test
  void anExpiredTokenIsNoFailureOfTheServer() throws Exception {
    Faults faults = pushes(n -> n % 2 == 0 && n < 40 ? Fate.TOKEN_EXPIRED : Fate.DONE);
    Faults inARow = pushes(n -> n < 20 ? Fate.TOKEN_EXPIRED : Fate.DONE);
    for (Faults expiries : List.of(faults, inARow)) {
      try (FakeCluster cluster = FakeCluster.inline(1, expiries);
          FramedPushSession session = cluster.push(cluster.assign(1, 1, 1), 1, 0)) {
        for (int i = 0; i < 30; i++) {
          add(session, 0, 3000);
        }
        session.finish();

        assertThat(cluster.server(0).isComplete(0, 1)).isTrue();
        assertThat(cluster.transport().connects()).isEqualTo(expiries == faults ? 7 : 21);
      }
    }
  }

  @Test
  void continuesInANewEpochIfNothingWasAcknowledged() throws Exception {
    FakeCluster[] made = new FakeCluster[1];
    Faults faults =
        pushes(
            n -> {
              if (n == 0) {
                made[0].server(0).restart();
                return Fate.LOST_BEFORE;
              }
              return Fate.DONE;
            });
    try (FakeCluster cluster = FakeCluster.inline(1, faults)) {
      made[0] = cluster;
      try (FramedPushSession session = cluster.push(cluster.assign(1, 1, 1), 1, 0)) {
        add(session, 0, 3000);
        session.finish();
      }
      assertThat(cluster.server(0).isComplete(0, 1)).isTrue();
    }
  }

  @Test
  void failsAfterACrashOfAServerWithAcknowledgedBlocks() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, NONE);
        FramedPushSession session = cluster.push(cluster.assign(1, 1, 1), 1, 0)) {
      for (int i = 0; i < 30; i++) {
        add(session, 0, 3000);
      }
      cluster.server(0).restart();
      cluster.transport().dropConnections();

      assertThatThrownBy(session::finish)
          .isInstanceOfSatisfying(
              PushFailedException.class,
              e -> {
                assertThat(e.code()).isEqualTo(StatusCode.STALE_EPOCH);
                assertThat(e.server()).isEqualTo("server-0");
              })
          .hasMessageContaining("restarted and lost acknowledged frames");
    }
  }

  @Test
  void continuesAfterACleanRestartOfAServerWithAcknowledgedBlocks() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, NONE);
        FramedPushSession session = cluster.push(cluster.assign(1, 1, 1), 1, 0)) {
      for (int restart = 0; restart < 3; restart++) {
        for (int i = 0; i < 30; i++) {
          add(session, 0, 3000);
        }
        assertThat(cluster.server(0).accepted()).isNotEmpty();
        cluster.server(0).restartCleanly();
        cluster.transport().dropConnections();
      }
      session.finish();
      assertThat(cluster.server(0).isComplete(0, 1)).isTrue();
    }
  }

  @Test
  void failsAfterACrashThatFollowsACleanRestart() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, NONE);
        FramedPushSession session = cluster.push(cluster.assign(1, 1, 1), 1, 0)) {
      for (int i = 0; i < 30; i++) {
        add(session, 0, 3000);
      }
      cluster.server(0).restartCleanly();
      cluster.transport().dropConnections();
      for (int i = 0; i < 30; i++) {
        add(session, 0, 3000);
      }
      cluster.server(0).restart();
      cluster.server(0).restartCleanly();
      cluster.transport().dropConnections();

      assertThatThrownBy(session::finish)
          .isInstanceOfSatisfying(
              PushFailedException.class,
              e -> assertThat(e.code()).isEqualTo(StatusCode.STALE_EPOCH));
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = StatusCode.class,
      names = {"BUSY", "DRAINING", "NO_SPACE", "BLOCK_CORRUPT", "FRAME_CORRUPT", "INTERNAL"})
  void retriesAfterATemporaryRefusal(StatusCode code) throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, refusals(3, code));
        FramedPushSession session = cluster.push(cluster.assign(1, 1, 1), 1, 0)) {
      add(session, 0, 100);
      session.finish();

      assertThat(cluster.server(0).isComplete(0, 1)).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = StatusCode.class,
      names = {"EXPIRED", "DENIED", "BAD_REQUEST", "UNKNOWN_APPLICATION"})
  void failsAtOnceAfterAPermanentRefusal(StatusCode code) throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, refusals(1, code));
        FramedPushSession session = cluster.push(cluster.assign(1, 1, 1), 1, 0)) {
      add(session, 0, 100);

      assertThatThrownBy(session::finish)
          .isInstanceOfSatisfying(
              PushFailedException.class, e -> assertThat(e.code()).isEqualTo(code));
      assertThat(cluster.server(0).pushLengths()).isEmpty();
    }
  }

  @Test
  void givesUpAServerThatCannotBeReached() throws Exception {
    Faults faults =
        new Faults() {
          @Override
          public Fate connect(ServerId server) {
            return Fate.LOST_BEFORE;
          }
        };
    try (FakeCluster cluster = FakeCluster.inline(1, faults);
        FramedPushSession session = cluster.push(cluster.assign(1, 1, 1), 1, 0)) {
      add(session, 0, 100);

      assertThatThrownBy(session::finish)
          .isInstanceOf(PushFailedException.class)
          .hasMessageContaining("server-0")
          .hasMessageContaining("cannot connect");
      assertThat(cluster.transport().connects()).isEqualTo(FakeCluster.QUICK.maxAttempts());
    }
  }

  @Test
  void continuesWithoutAReplicaWhileTheQuorumIsReached() throws Exception {
    Faults faults =
        new Faults() {
          @Override
          public Fate connect(ServerId server) {
            return server.getName().equals("server-1") ? Fate.LOST_BEFORE : Fate.DONE;
          }
        };
    RetryPolicy quick = FakeCluster.QUICK;
    for (int quorum = 1; quorum <= 2; quorum++) {
      try (FakeCluster cluster = FakeCluster.inline(2, faults)) {
        cluster.use(new PushConfig(16 << 10, 64 << 10, quorum, BlockCodec.LZ4, 1, quick, quick));
        ShuffleAssignment assignment = cluster.assign(4, 1, 2);
        try (FramedPushSession session = cluster.push(assignment, 1, 0)) {
          add(session, 2, 100);
          if (quorum == 1) {
            session.finish();
            assertThat(cluster.server(0).isComplete(2, 1)).isTrue();
          } else {
            assertThatThrownBy(session::finish).isInstanceOf(PushFailedException.class);
          }
        }
      }
    }
  }

  @Test
  void memoryIsLimitedToInFlightBytesAndOneFramePerServer() throws Exception {
    try (FakeCluster cluster = FakeCluster.threaded(3, NONE);
        FramedPushSession session = cluster.push(cluster.assign(20_000, 3, 1), 1, 0)) {
      long most = 0;
      for (int pass = 0; pass < 2; pass++) {
        for (int partition = 0; partition < 20_000; partition++) {
          add(session, partition, 60);
          most = Math.max(most, cluster.usedBytes());
        }
      }
      session.finish();

      PushConfig config = cluster.pushConfig();
      assertThat(most).isLessThanOrEqualTo(config.inFlightBytes() + 5L * config.frameBytes());
      assertThat(cluster.usedBytes()).isZero();
    }
  }

  @Test
  void anUnfinishedSessionFreesItsFrames() throws Exception {
    DirectMemory memory = new DirectMemory(Long.MAX_VALUE);
    try (FakeCluster cluster = FakeCluster.inline(2, NONE)) {
      cluster.use(memory);
      FramedPushSession session = cluster.push(cluster.assign(8, 2, 1), 1, 0);
      add(session, 0, 100);
      add(session, 7, 100);
      assertThat(session.bufferedBytes()).isPositive().isEqualTo(memory.usedBytes());
      session.close();
      session.close();
      assertThat(memory.usedBytes()).isZero();
      assertThat(cluster.usedBytes()).isZero();
      assertThatThrownBy(session::beginFinalPass)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("CLOSED");
    }
  }

  @Test
  void countersOfSeveralSessionsAddUp() {
    ServerTimes none = ServerTimes.NONE;
    PushCounters one =
        new PushCounters(1, 2, 3, 4, 5, 6, 7, 8, new PushCounters.Rerouted(9, 10, 11, 12), none);
    PushCounters other =
        new PushCounters(
            100, 200, 300, 400, 500, 600, 700, 800, new PushCounters.Rerouted(1, 2, 3, 4), none);
    assertThat(one.plus(other))
        .isEqualTo(
            new PushCounters(
                101,
                202,
                303,
                404,
                505,
                606,
                707,
                808,
                new PushCounters.Rerouted(10, 12, 14, 16),
                none));
  }

  @Test
  void namesTheKeyForAServerWithASmallFrameLimit() throws Exception {
    try (FakeCluster cluster = FakeCluster.withMaxBody(1, 8000);
        FramedPushSession session = cluster.push(cluster.assign(1, 1, 1), 1, 0)) {
      add(session, 0, 12_000);

      assertThatThrownBy(session::finish)
          .hasMessageContaining("limit of 8000 bytes; set rss.client.send.size.limit");
    }
  }

  @Test
  void endsItsWaitWhenInterruptedAndFreesEverything() throws Exception {
    CountDownLatch arrived = new CountDownLatch(1);
    Faults faults =
        pushes(
            n -> {
              arrived.countDown();
              return Fate.SILENT;
            });
    try (FakeCluster cluster = FakeCluster.threaded(1, faults)) {
      Throwable[] thrown = new Throwable[1];
      boolean[] flag = new boolean[1];
      Thread task =
          new Thread(
              () -> {
                try (FramedPushSession session = cluster.push(cluster.assign(1, 1, 1), 1, 0)) {
                  add(session, 0, 100);
                  session.finish();
                } catch (Exception e) {
                  thrown[0] = e;
                  flag[0] = Thread.currentThread().isInterrupted();
                }
              });
      task.start();
      assertThat(arrived.await(60, TimeUnit.SECONDS)).isTrue();
      task.interrupt();
      task.join(20_000);

      assertThat(thrown[0]).isInstanceOf(InterruptedIOException.class);
      assertThat(flag[0]).isTrue();
    }
  }

  @Test
  void stopsWaitingForASilentServerAtTheTimeout() throws Exception {
    RetryPolicy impatient = new RetryPolicy(3, 1, 2, 50);
    try (FakeCluster cluster = FakeCluster.threaded(1, pushes(n -> Fate.SILENT))) {
      cluster.use(new PushConfig(16 << 10, 64 << 10, 1, BlockCodec.LZ4, 1, impatient, impatient));
      try (FramedPushSession session = cluster.push(cluster.assign(1, 1, 1), 1, 0)) {
        add(session, 0, 100);
        assertThatThrownBy(session::finish)
            .isInstanceOf(PushFailedException.class)
            .hasMessageContaining("no reply within 50 ms");
      }
    }
  }

  @Test
  void shrinksItsWindowUnderPressureAndGrowsItAfterwards() {
    PushWindows windows = new PushWindows(10, 160, 100);
    assertThat(windows.bytes("a")).isEqualTo(80);

    windows.onAck("a", 900, 1000);
    windows.onAck("a", 900, 1050);
    assertThat(windows.bytes("a")).isEqualTo(40);
    windows.onAck("a", 900, 1100);
    windows.onAck("a", 900, 1200);
    windows.onAck("a", 900, 1300);
    assertThat(windows.bytes("a")).isEqualTo(10);
    windows.onAck("a", 600, 1400);
    assertThat(windows.bytes("a")).isEqualTo(10);
    for (int i = 0; i < 100; i++) {
      windows.onAck("a", 100, 1500);
    }
    assertThat(windows.bytes("a")).isEqualTo(160);
    assertThat(windows.bytes("b")).isEqualTo(80);
  }

  @Test
  void refusesUseInTheWrongOrder() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, NONE);
        FramedPushSession session = cluster.push(cluster.assign(5, 1, 1), 1, 0)) {
      assertThatThrownBy(() -> session.add(5, new byte[1], 0, 1, 1))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("partition=5");
      assertThatThrownBy(() -> session.add(0, new byte[1], 0, 1, 1))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("FAILED");
    }
    try (FakeCluster cluster = FakeCluster.inline(1, NONE);
        FramedPushSession session = cluster.push(cluster.assign(5, 1, 1), 1, 0)) {
      session.beginFinalPass();
      session.add(3, new byte[1], 0, 1, 1);
      assertThatThrownBy(() -> session.add(2, new byte[1], 0, 1, 1))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("final pass");
    }
  }

  @Test
  void waitsForItsFramesWhileTheProcessExceedsItsMemoryLimit() throws Exception {
    int frame = 16 << 10;
    DirectMemory memory = new DirectMemory(4L * frame);
    AtomicLong most = new AtomicLong();
    Faults watching =
        new Faults() {
          @Override
          public Fate push(ServerId server, Push push, ByteBuf body) {
            most.accumulateAndGet(memory.usedBytes(), Math::max);
            return Fate.DONE;
          }
        };
    try (FakeCluster cluster = FakeCluster.threaded(2, watching)) {
      cluster.use(
          new PushConfig(
              frame, 64L * frame, 1, BlockCodec.NONE, 1, FakeCluster.QUICK, FakeCluster.QUICK));
      cluster.use(memory);
      ShuffleAssignment assignment = cluster.assign(8, 2, 1);
      try (FramedPushSession one = cluster.push(assignment, 1, 0);
          FramedPushSession other = cluster.push(assignment, 2, 1)) {
        for (int i = 0; i < 200; i++) {
          add(one, i % 8, 5000);
          add(other, i % 8, 5000);
        }
        one.finish();
        other.finish();
      }

      // Per session, an open frame for each of the two servers, and one sent frame.
      assertThat(most.get()).isBetween(1L, (4 + 2 * 3) * (long) frame);
      assertThat(memory.usedBytes()).isZero();
    }
  }
}
