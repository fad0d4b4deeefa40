package io.sluice.client.read;

import static io.sluice.client.read.TestReads.batches;
import static io.sluice.client.read.TestReads.drain;
import static io.sluice.client.read.TestReads.missing;
import static io.sluice.client.read.TestReads.push;
import static io.sluice.client.read.TestReads.pushMaps;
import static io.sluice.client.read.TestReads.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakeTransport.Fate;
import io.sluice.client.fake.FakeTransport.Faults;
import io.sluice.client.read.MissingBlocks.Reason;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.Fetch;
import io.sluice.proto.Open;
import io.sluice.proto.ServerId;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Reads from servers that fail or refuse requests, or send damaged blocks. */
class ReadFailureTest {
  private static final Faults NONE = new Faults() {};

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
}
