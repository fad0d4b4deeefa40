package io.sluice.client.read;

import static io.sluice.client.read.TestReads.batches;
import static io.sluice.client.read.TestReads.drain;
import static io.sluice.client.read.TestReads.push;
import static io.sluice.client.read.TestReads.pushMaps;
import static io.sluice.client.read.TestReads.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakeTransport.Fate;
import io.sluice.client.fake.FakeTransport.Faults;
import io.sluice.client.server.DirectMemory;
import io.sluice.proto.Fetch;
import io.sluice.proto.ServerId;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Memory of reads: limits while they run, and nothing left behind. */
class ReadMemoryTest {
  private static final Faults NONE = new Faults() {};

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
}
