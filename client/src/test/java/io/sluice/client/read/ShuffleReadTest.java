package io.sluice.client.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakeTransport.Fate;
import io.sluice.client.fake.FakeTransport.Faults;
import io.sluice.client.push.FramedPushSession;
import io.sluice.client.read.MissingBlocks.Reason;
import io.sluice.client.server.DirectMemory;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.Fetch;
import io.sluice.proto.Open;
import io.sluice.proto.ServerId;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ShuffleReadTest {
  private static final Faults NONE = new Faults() {};

  /** One attempt of each map task. */
  private static void pushMaps(
      FakeCluster cluster, ShuffleAssignment assignment, int maps, int length) throws Exception {
    for (int map = 0; map < maps; map++) {
      push(cluster, assignment, map, map, length);
    }
  }

  private static void push(
      FakeCluster cluster, ShuffleAssignment assignment, long attempt, int map, int length)
      throws Exception {
    try (FramedPushSession session = cluster.push(assignment, attempt, map)) {
      session.beginFinalPass();
      for (int partition = 0; partition < assignment.partitionCount(); partition++) {
        byte[] content = new byte[length];
        Arrays.fill(content, (byte) (attempt * 31 + partition));
        session.add(partition, content, 0, length, 2);
      }
      session.finish();
    }
  }

  private static ShuffleReadRequest request(
      ShuffleAssignment assignment, int first, int end, long... attempts) {
    ShuffleReadRequest.Builder request = ShuffleReadRequest.builder(assignment);
    for (int partition = first; partition < end; partition++) {
      for (long attempt : attempts) {
        request.expect(partition, attempt, (int) attempt);
      }
    }
    return request.build();
  }

  private static int drain(ShuffleRead read) throws Exception {
    int batches = 0;
    for (ShuffleBlock block = read.next(); block != null; block = read.next()) {
      byte value = (byte) (block.mapAttempt() * 31 + block.partition());
      while (block.content().hasRemaining()) {
        assertThat(block.content().get()).isEqualTo(value);
      }
      batches++;
    }
    return batches;
  }

  private static int batches(FakeCluster cluster, ShuffleReadRequest request) throws Exception {
    try (ShuffleRead read = cluster.read(request)) {
      return drain(read);
    }
  }

  private static MissingBlocks missing(ShuffleRead read) {
    try {
      drain(read);
    } catch (BlocksMissingException e) {
      return e.missing().get(0);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
    throw new AssertionError("nothing is missing");
  }

  @Test
  void requestsThousandsOfSmallPartitionsAtOnce() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(2, NONE)) {
      ShuffleAssignment assignment = cluster.assign(4000, 2, 1);
      push(cluster, assignment, 0, 0, 40);
      push(cluster, assignment, 1, 1, 40);
      cluster.use(new ReadConfig(1 << 20, 4, 1 << 30, 20_000, FakeCluster.QUICK));

      try (ShuffleRead read = cluster.read(request(assignment, 0, 4000, 0, 1))) {
        assertThat(drain(read)).isEqualTo(8000);
        assertThat(read.counters().requests().opens()).isEqualTo(2);
        assertThat(read.counters().requests().fetches()).isEqualTo(2);
        assertThat(read.counters().records()).isEqualTo(16_000);
        assertThat(read.counters().uncompressedBytes()).isEqualTo(8000 * 40);
      }
    }
  }

  @Test
  void sendsNoRequestIfNothingIsExpected() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, NONE);
        ShuffleRead read = cluster.read(request(cluster.assign(10, 1, 1), 0, 10))) {
      assertThat(read.next()).isNull();
      assertThat(cluster.transport().connects()).isZero();
    }
  }

  @Test
  void skipsAttemptsThatAreNotExpected() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, NONE)) {
      ShuffleAssignment assignment = cluster.assign(3, 1, 1);
      pushMaps(cluster, assignment, 4, 100);
      try (ShuffleRead read = cluster.read(request(assignment, 0, 3, 3, 1))) {
        assertThat(drain(read)).isEqualTo(6);
        assertThat(read.counters().skippedBlocks()).isPositive();
      }
    }
  }

  @Test
  void fetchesOnlyStretchesOfTheWantedMapTasks() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, NONE)) {
      ShuffleAssignment assignment = cluster.assign(1, 1, 1);
      pushMaps(cluster, assignment, 20, 1000);
      ShuffleReadRequest request =
          ShuffleReadRequest.builder(assignment)
              .expect(0, 5, 5)
              .expect(0, 6, 6)
              .mapRange(5, 7)
              .build();
      try (ShuffleRead read = cluster.read(request)) {
        assertThat(drain(read)).isEqualTo(2);
        assertThat(read.counters().bytes()).isLessThan(cluster.server(0).storedBytes(0) / 5);
      }
    }
  }

  @Test
  void reportsWhyDataIsAbsent() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, NONE)) {
      ShuffleAssignment assignment = cluster.assign(3, 1, 1);
      try (ShuffleRead read = cluster.read(request(assignment, 1, 2, 0))) {
        assertThat(missing(read))
            .isEqualTo(
                new MissingBlocks(
                    1,
                    0,
                    0,
                    Reason.NEVER_WRITTEN,
                    List.of(new MissingBlocks.Answer("server-0", Reason.NEVER_WRITTEN)),
                    "the shuffle was never written to the server"));
      }
      push(cluster, assignment, 0, 0, 10);
      try (ShuffleRead read = cluster.read(request(assignment, 1, 2, 0, 8))) {
        assertThat(missing(read).reason()).isEqualTo(Reason.INCOMPLETE);
      }
      try (ShuffleRead read = cluster.read(request(assignment, 1, 2, 0, 8))) {
        assertThat(missing(read).mapAttempt()).isEqualTo(8);
      }
      cluster.server(0).loseData();
      try (ShuffleRead read = cluster.read(request(assignment, 1, 2, 0))) {
        assertThat(missing(read).reason()).isEqualTo(Reason.LOST);
      }
      cluster.server(0).expire();
      try (ShuffleRead read = cluster.read(request(assignment, 1, 2, 0))) {
        assertThat(missing(read).reason()).isEqualTo(Reason.EXPIRED);
      }
    }
  }

  @Test
  void aCleanRestartDoesNotMakeBlocksLostThatWereNeverWritten() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, NONE)) {
      ShuffleAssignment assignment = cluster.assign(3, 1, 1);
      push(cluster, assignment, 0, 0, 100);
      cluster.server(0).restartCleanly();

      try (ShuffleRead read = cluster.read(request(assignment, 0, 2, 0, 1))) {
        assertThat(missing(read).reason()).isEqualTo(Reason.INCOMPLETE);
      }
      cluster.transport().dropConnections();
      ShuffleAssignment other = cluster.assign(30, 1, 1);
      try (ShuffleRead read = cluster.read(request(other, 29, 30, 0))) {
        assertThat(missing(read).reason()).isEqualTo(Reason.NEVER_WRITTEN);
      }
    }
  }

  @Test
  void reportsThatARestartedServerLostItsBlocks() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, NONE)) {
      ShuffleAssignment assignment = cluster.assign(2, 1, 1);
      push(cluster, assignment, 0, 0, 100);
      cluster.server(0).restart();
      push(cluster, assignment, 1, 1, 100);

      try (ShuffleRead read = cluster.read(request(assignment, 0, 2, 0, 1))) {
        MissingBlocks missing = missing(read);
        assertThat(missing.reason()).isEqualTo(Reason.LOST);
        assertThat(missing.mapAttempt()).isZero();
        assertThat(missing.detail()).contains("lost data since the assignment");
      }
      assertThat(batches(cluster, request(assignment, 0, 2, 1))).isEqualTo(2);
    }
  }

  @Test
  void reportsAnUnreachableServer() throws Exception {
    boolean[] down = new boolean[1];
    Faults faults =
        new Faults() {
          @Override
          public Fate connect(ServerId server) {
            return down[0] ? Fate.LOST_BEFORE : Fate.DONE;
          }
        };
    try (FakeCluster cluster = FakeCluster.inline(1, faults)) {
      ShuffleAssignment assignment = cluster.assign(2, 1, 1);
      push(cluster, assignment, 0, 0, 100);
      down[0] = true;
      cluster.transport().dropConnections();

      try (ShuffleRead read = cluster.read(request(assignment, 0, 2, 0))) {
        MissingBlocks missing = missing(read);
        assertThat(missing.reason()).isEqualTo(Reason.UNREACHABLE);
        assertThat(missing.detail()).contains("4 attempts").contains("cannot connect");
      }
    }
  }

  @Test
  void readsTheRestFromAnotherReplica() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(2, NONE)) {
      ShuffleAssignment both = cluster.assign(6, 1, 2);
      ShuffleAssignment onlyFirst = cluster.assign(6, 1, 1);
      push(cluster, both, 0, 0, 5000);
      push(cluster, onlyFirst, 1, 1, 5000);

      // Tasks start at different replicas; both must work.
      for (int task = 0; task < 2; task++) {
        assertThat(batches(cluster, request(both, 0, 6, 0, 1))).isEqualTo(12);
      }
      cluster.server(0).restart();
      for (int task = 0; task < 2; task++) {
        assertThat(batches(cluster, request(both, 0, 6, 0))).isEqualTo(6);
        try (ShuffleRead read = cluster.read(request(both, 0, 6, 0, 1))) {
          assertThat(missing(read).servers()).containsExactlyInAnyOrder("server-0", "server-1");
        }
      }
    }
  }

  @Test
  void skipsBlocksOfALostDisk() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, NONE)) {
      ShuffleAssignment assignment = cluster.assign(1, 1, 1);
      pushMaps(cluster, assignment, 4, 1000);
      cluster.server(0).lose(0, 1, 1);
      cluster.server(0).lose(0, 3, 3);
      try (ShuffleRead read = cluster.read(request(assignment, 0, 1, 0, 2))) {
        assertThat(drain(read)).isEqualTo(2);
        assertThat(read.counters().requests().retries()).isZero();
      }
      try (ShuffleRead read = cluster.read(request(assignment, 0, 1, 0, 1, 2))) {
        MissingBlocks missing = missing(read);
        assertThat(missing.mapAttempt()).isEqualTo(1);
        assertThat(missing.reason()).isEqualTo(Reason.LOST);
        assertThat(missing.detail()).contains("the server has lost blocks of the partition");
      }
    }
  }

  @Test
  void readsBlocksOfALostDiskFromAnotherReplica() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(2, NONE)) {
      ShuffleAssignment assignment = cluster.assign(1, 1, 2);
      pushMaps(cluster, assignment, 4, 1000);
      cluster.server(0).lose(0, 1, 1);
      cluster.server(1).lose(0, 2, 2);
      for (int task = 0; task < 2; task++) {
        assertThat(batches(cluster, request(assignment, 0, 1, 0, 1, 2, 3))).isEqualTo(4);
      }
    }
  }

  @Test
  void switchesToAnotherReplicaAtOnceWhenADiskTimesOut() throws Exception {
    Faults faults =
        new Faults() {
          @Override
          public Fate fetch(ServerId server, Fetch fetch) throws SluiceException {
            if (server.getName().equals("server-0")) {
              throw new SluiceException(StatusCode.STORAGE_FAILED, "slow disk");
            }
            return Fate.DONE;
          }
        };
    try (FakeCluster cluster = FakeCluster.inline(2, faults)) {
      ShuffleAssignment assignment = cluster.assign(4, 1, 2);
      push(cluster, assignment, 0, 0, 5000);
      long retries = 0;
      for (int task = 0; task < 2; task++) {
        try (ShuffleRead read = cluster.read(request(assignment, 0, 4, 0))) {
          assertThat(drain(read)).isEqualTo(4);
          retries += read.counters().requests().retries();
        }
      }
      assertThat(retries).as("one of the tasks started at the slow server").isEqualTo(1);
    }
  }

  @Test
  void fetchesADamagedBlockAgain() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, Faults.damagedFetch(1, 100))) {
      ShuffleAssignment assignment = cluster.assign(1, 1, 1);
      pushMaps(cluster, assignment, 300, 1000);
      long[] attempts = java.util.stream.LongStream.range(0, 300).toArray();
      try (ShuffleRead read = cluster.read(request(assignment, 0, 1, attempts))) {
        assertThat(drain(read)).isEqualTo(300);
        assertThat(read.counters().requests().retries()).isEqualTo(1);
      }
    }
  }

  @Test
  void fetchesABlockWithADamagedLengthAgain() throws Exception {
    // The upper bytes of the payload length.
    try (FakeCluster cluster = FakeCluster.inline(1, Faults.damagedFetch(0, 38))) {
      ShuffleAssignment assignment = cluster.assign(1, 1, 1);
      pushMaps(cluster, assignment, 3, 1000);
      try (ShuffleRead read = cluster.read(request(assignment, 0, 1, 0, 1, 2))) {
        assertThat(drain(read)).isEqualTo(3);
        assertThat(read.counters().requests().retries()).isEqualTo(1);
      }
    }
  }

  @Test
  void namesADamagedBlockAndContinuesBehindIt() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, NONE)) {
      ShuffleAssignment assignment = cluster.assign(1, 1, 1);
      pushMaps(cluster, assignment, 3, 1000);
      int block = (int) (cluster.server(0).storedBytes(0) / 3);
      cluster.server(0).damage(0, block + BlockHeader.LENGTH + 3);

      try (ShuffleRead read = cluster.read(request(assignment, 0, 1, 0, 1, 2))) {
        MissingBlocks missing = missing(read);
        assertThat(missing.reason()).isEqualTo(Reason.CORRUPT);
        assertThat(missing.mapAttempt()).isEqualTo(1);
        assertThat(missing.detail())
            .contains("partition=0 server=server-0 logicalOffset=" + block)
            .contains("crc expected=");
        assertThat(read.counters().blocks()).isEqualTo(2);
      }
      // Blocks of unexpected attempts may be damaged.
      assertThat(batches(cluster, request(assignment, 0, 1, 0, 2))).isEqualTo(2);
    }
  }

  @Test
  void readsADamagedBlockFromAnotherReplica() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(2, NONE)) {
      ShuffleAssignment assignment = cluster.assign(1, 1, 2);
      push(cluster, assignment, 0, 0, 1000);
      cluster.server(0).damage(0, 50);

      for (int task = 0; task < 2; task++) {
        assertThat(batches(cluster, request(assignment, 0, 1, 0))).isEqualTo(1);
      }
    }
  }

  @Test
  void stopsAtAnInvalidBlockLength() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, NONE)) {
      ShuffleAssignment assignment = cluster.assign(1, 1, 1);
      push(cluster, assignment, 0, 0, 1000);
      // The upper bytes of the payload length.
      cluster.server(0).damage(0, 38);

      try (ShuffleRead read = cluster.read(request(assignment, 0, 1, 0))) {
        assertThat(missing(read).detail()).contains("invalid block length");
      }
    }
  }

  @Test
  void limitsTheNumberOfSlicesInMemory() throws Exception {
    AtomicInteger inFlight = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Faults faults =
        new Faults() {
          @Override
          public void fetched(ServerId server, Fetch fetch, ByteBuf bytes) {
            most.accumulateAndGet(bytes.readableBytes(), Math::max);
            inFlight.incrementAndGet();
          }
        };
    try (FakeCluster cluster = FakeCluster.inline(2, faults)) {
      ShuffleAssignment assignment = cluster.assign(20, 2, 1);
      pushMaps(cluster, assignment, 10, 6000);
      cluster.use(new ReadConfig(2000, 3, 1 << 30, 20_000, FakeCluster.QUICK));
      long[] attempts = java.util.stream.LongStream.range(0, 10).toArray();
      try (ShuffleRead read = cluster.read(request(assignment, 0, 20, attempts))) {
        assertThat(read.next()).isNotNull();
        // One slice may be parsed by then.
        assertThat(inFlight.get()).isLessThanOrEqualTo(4);
        assertThat(drain(read)).isEqualTo(199);
        assertThat(most.get()).isLessThanOrEqualTo(2000);
      }
    }
  }

  /** More expiries than attempts of the retry policy: none of them counts as a failure. */
  @Test
  void anExpiredTokenIsNoFailureOfTheServer() throws Exception {
    AtomicInteger opens = new AtomicInteger();
    AtomicInteger fetches = new AtomicInteger();
    Faults faults =
        new Faults() {
          @Override
          public Fate open(ServerId server, Open open) {
            return opens.getAndIncrement() < 20 ? Fate.TOKEN_EXPIRED : Fate.DONE;
          }

          @Override
          public Fate fetch(ServerId server, Fetch fetch) {
            int n = fetches.getAndIncrement();
            return n < 20 || n % 3 == 0 ? Fate.TOKEN_EXPIRED : Fate.DONE;
          }
        };
    try (FakeCluster cluster = FakeCluster.inline(1, faults)) {
      ShuffleAssignment assignment = cluster.assign(4, 1, 1);
      push(cluster, assignment, 0, 0, 50_000);
      cluster.use(new ReadConfig(1024, 3, 1 << 30, 20_000, FakeCluster.QUICK));

      assertThat(batches(cluster, request(assignment, 0, 4, 0))).isEqualTo(4);

      assertThat(fetches.get()).isGreaterThan(20);
      assertThat(opens.get()).isEqualTo(21);
    }
  }

  @Test
  void opensAgainAfterARestartOfTheServer() throws Exception {
    FakeCluster[] made = new FakeCluster[1];
    AtomicInteger fetches = new AtomicInteger();
    Faults faults =
        new Faults() {
          @Override
          public Fate fetch(ServerId server, Fetch fetch) {
            if (fetches.getAndIncrement() == 2) {
              made[0].server(0).restart();
              return Fate.LOST_BEFORE;
            }
            return Fate.DONE;
          }
        };
    try (FakeCluster cluster = FakeCluster.inline(2, faults)) {
      made[0] = cluster;
      ShuffleAssignment assignment = cluster.assign(4, 1, 2);
      push(cluster, assignment, 0, 0, 50_000);
      cluster.use(new ReadConfig(1024, 1, 1 << 30, 20_000, FakeCluster.QUICK));
      for (int task = 0; task < 2; task++) {
        assertThat(batches(cluster, request(assignment, 0, 4, 0))).isEqualTo(4);
      }
    }
  }

  @Test
  void failsAfterAPermanentRefusal() throws Exception {
    Faults faults =
        new Faults() {
          @Override
          public Fate fetch(ServerId server, Fetch fetch) throws SluiceException {
            throw new SluiceException(StatusCode.BAD_REQUEST, "not yours");
          }
        };
    try (FakeCluster cluster = FakeCluster.inline(1, faults)) {
      ShuffleAssignment assignment = cluster.assign(1, 1, 1);
      push(cluster, assignment, 0, 0, 100);
      try (ShuffleRead read = cluster.read(request(assignment, 0, 1, 0))) {
        assertThatThrownBy(read::next)
            .isInstanceOfSatisfying(
                SluiceException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.BAD_REQUEST))
            .hasMessageContaining("server-0")
            .hasMessageContaining("not yours");
        assertThatThrownBy(read::next).hasMessageContaining("not yours");
      }
    }
  }

  @Test
  void blocksOfAServerThatDeniesTheConnectionAreMissingAtOnce() throws Exception {
    AtomicBoolean denied = new AtomicBoolean();
    Faults faults =
        new Faults() {
          @Override
          public Fate connect(ServerId server) throws SluiceException {
            if (denied.get()) {
              throw new SluiceException(StatusCode.DENIED, "it proved nothing");
            }
            return Fate.DONE;
          }
        };
    try (FakeCluster cluster = FakeCluster.inline(1, faults)) {
      ShuffleAssignment assignment = cluster.assign(1, 1, 1);
      push(cluster, assignment, 0, 0, 100);
      denied.set(true);
      cluster.transport().dropConnections();
      int connects = cluster.transport().connects();
      try (ShuffleRead read = cluster.read(request(assignment, 0, 1, 0))) {
        assertThatThrownBy(read::next)
            .isInstanceOfSatisfying(
                BlocksMissingException.class,
                e ->
                    assertThat(e.missing())
                        .singleElement()
                        .satisfies(
                            blocks -> {
                              assertThat(blocks.reason()).isEqualTo(Reason.UNREACHABLE);
                              assertThat(blocks.detail()).contains("it proved nothing");
                            }));
      }
      assertThat(cluster.transport().connects()).isEqualTo(connects + 1);
    }
  }

  @Test
  void switchesServersOnlyForUnreadableBytes() throws Exception {
    Faults faults =
        new Faults() {
          @Override
          public Fate fetch(ServerId server, Fetch fetch) throws SluiceException {
            if (server.getName().equals("server-0") && fetch.getRanges(0).getPartition() == 2) {
              throw new SluiceException(StatusCode.STORAGE_FAILED, "disk");
            }
            return Fate.DONE;
          }
        };
    try (FakeCluster cluster = FakeCluster.inline(2, faults)) {
      push(cluster, cluster.assign(5, 1, 1), 0, 0, 600_000);
      cluster.use(new ReadConfig(1024, 2, 1 << 30, 20_000, FakeCluster.QUICK));
      try (ShuffleRead read = cluster.read(request(cluster.assign(5, 1, 1), 0, 5, 0))) {
        MissingBlocks missing = missing(read);
        assertThat(missing.partition()).isEqualTo(2);
        assertThat(missing.reason()).isEqualTo(Reason.LOST);
      }
    }
  }

  @Test
  void endsItsWaitWhenInterruptedAndFreesEverything() throws Exception {
    CountDownLatch arrived = new CountDownLatch(1);
    Faults faults =
        new Faults() {
          @Override
          public Fate fetch(ServerId server, Fetch fetch) {
            arrived.countDown();
            return Fate.SILENT;
          }
        };
    try (FakeCluster cluster = FakeCluster.threaded(1, faults)) {
      ShuffleAssignment assignment = cluster.assign(1, 1, 1);
      push(cluster, assignment, 0, 0, 100);
      Throwable[] thrown = new Throwable[1];
      Thread task =
          new Thread(
              () -> {
                try (ShuffleRead read = cluster.read(request(assignment, 0, 1, 0))) {
                  drain(read);
                } catch (Exception e) {
                  thrown[0] = e;
                }
              });
      task.start();
      assertThat(arrived.await(60, TimeUnit.SECONDS)).isTrue();
      task.interrupt();
      task.join(20_000);

      assertThat(thrown[0]).isInstanceOf(InterruptedIOException.class);
    }
  }

  @Test
  void freesEverythingWhenClosedEarly() throws Exception {
    try (FakeCluster cluster = FakeCluster.threaded(2, NONE)) {
      ShuffleAssignment assignment = cluster.assign(8, 2, 1);
      push(cluster, assignment, 0, 0, 30_000);
      cluster.use(new ReadConfig(1500, 4, 1 << 30, 20_000, FakeCluster.QUICK));
      for (int taken = 0; taken < 8; taken++) {
        try (ShuffleRead read = cluster.read(request(assignment, 0, 8, 0))) {
          for (int i = 0; i < taken; i++) {
            assertThat(read.next()).isNotNull();
          }
          read.close();
          assertThatThrownBy(read::next).isInstanceOf(IllegalStateException.class);
        }
      }
    }
  }

  @Test
  void limitsSlicesToTheMemoryGrantOfItsTask() throws Exception {
    try (FakeCluster cluster = FakeCluster.threaded(2, NONE)) {
      cluster.use(new ReadConfig(8 << 10, 20, 1 << 30, 20_000, FakeCluster.QUICK));
      ShuffleAssignment assignment = cluster.assign(16, 2, 1);
      pushMaps(cluster, assignment, 6, 40_000);
      long granted = 20 << 10;
      AtomicLong most = new AtomicLong();
      ShuffleReadRequest.Builder request = ShuffleReadRequest.builder(assignment);
      for (int partition = 0; partition < 16; partition++) {
        for (int map = 0; map < 6; map++) {
          request.expect(partition, map, map);
        }
      }
      AtomicLong used = new AtomicLong();
      request.memory(
          bytes -> {
            used.set(bytes);
            most.accumulateAndGet(bytes, Math::max);
            return granted;
          });

      try (PooledShuffleRead read = cluster.read(request.build())) {
        int batches = 0;
        while (read.next() != null) {
          batches++;
        }
        assertThat(batches).isEqualTo(16 * 6);
      }

      // One slice may be fetched before the engine denies the grant.
      assertThat(most.get()).isBetween(1L, granted + (8 << 10));
      assertThat(used.get()).isZero();
      assertThat(cluster.memory().usedBytes()).isZero();
    }
  }

  @Test
  void readsShareTheMemoryOfTheProcessAndEachContinuesWithOneSlice() throws Exception {
    try (FakeCluster cluster = FakeCluster.threaded(2, NONE)) {
      cluster.use(new ReadConfig(8 << 10, 20, 1 << 30, 20_000, FakeCluster.QUICK));
      cluster.use(new DirectMemory(20 << 10));
      ShuffleAssignment assignment = cluster.assign(16, 2, 1);
      pushMaps(cluster, assignment, 6, 40_000);
      List<PooledShuffleRead> reads = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        reads.add(cluster.read(request(assignment, 0, 16, 0, 1, 2, 3, 4, 5)));
      }

      for (int content = 0; content < 16 * 6; content++) {
        for (PooledShuffleRead read : reads) {
          assertThat(read.next()).isNotNull();
          assertThat(cluster.memory().usedBytes()).isLessThanOrEqualTo((20 + 5 * 8) << 10);
        }
      }
      for (PooledShuffleRead read : reads) {
        assertThat(read.next()).isNull();
        read.close();
      }

      assertThat(cluster.memory().usedBytes()).isZero();
    }
  }

  @Test
  void aClosedReadUsesNoMemory() throws Exception {
    try (FakeCluster cluster = FakeCluster.threaded(2, NONE)) {
      ShuffleAssignment assignment = cluster.assign(16, 2, 1);
      pushMaps(cluster, assignment, 6, 40_000);

      try (PooledShuffleRead read = cluster.read(request(assignment, 0, 16, 0, 1, 2, 3, 4, 5))) {
        assertThat(read.next()).isNotNull();
        assertThat(cluster.memory().usedBytes()).isPositive();
      }

      assertThat(cluster.memory().usedBytes()).isZero();
    }
  }
}
