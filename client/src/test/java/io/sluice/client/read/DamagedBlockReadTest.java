package io.sluice.client.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakeServer;
import io.sluice.client.fake.FakeTransport.Fate;
import io.sluice.client.fake.FakeTransport.Faults;
import io.sluice.client.push.FramedPushSession;
import io.sluice.client.read.MissingBlocks.Reason;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.Fetch;
import io.sluice.proto.ServerId;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads of damaged blocks from servers that verify the reports of readers. */
class DamagedBlockReadTest {
  private static final Faults NONE = new Faults() {};

  private static final int MAPS = 20;
  private static final int PAYLOAD = 1000;

  /** One block of each map task in partition 0, of 1000 bytes that cannot be compressed. */
  private static int pushAll(FakeCluster cluster, ShuffleAssignment assignment) throws Exception {
    for (int map = 0; map < MAPS; map++) {
      try (FramedPushSession session = cluster.push(assignment, map, map)) {
        byte[] bytes = new byte[PAYLOAD];
        Arrays.fill(bytes, (byte) map);
        session.add(0, bytes, 0, PAYLOAD, 1);
        session.finish();
      }
    }
    return (int) (cluster.server(0).storedBytes(0) / MAPS);
  }

  private static ShuffleReadRequest request(ShuffleAssignment assignment) {
    ShuffleReadRequest.Builder request = ShuffleReadRequest.builder(assignment);
    LongStream.range(0, MAPS).forEach(map -> request.expect(0, map, (int) map));
    return request.build();
  }

  private static Set<Long> attempts(ShuffleRead read) throws Exception {
    Set<Long> found = new HashSet<>();
    for (ShuffleBlock block = read.next(); block != null; block = read.next()) {
      assertThat(block.content().get(0)).isEqualTo((byte) block.mapAttempt());
      assertThat(found.add(block.mapAttempt())).as("delivered once").isTrue();
    }
    return found;
  }

  private static List<Integer> mapsMissing(ShuffleRead read) {
    return catchThrowableOfType(BlocksMissingException.class, () -> attempts(read))
        .missing()
        .stream()
        .peek(missing -> assertThat(missing.reason()).isEqualTo(Reason.LOST))
        .map(MissingBlocks::mapIndex)
        .toList();
  }

  /** In the header, in its length, and in the payload; also of adjacent blocks, first and last. */
  @ParameterizedTest
  @ValueSource(ints = {3, 38, BlockHeader.LENGTH + 3})
  void namesExactlyTheMapsOfDamagedBlocks(int at) throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, NONE)) {
      ShuffleAssignment assignment = cluster.assign(1, 1, 1);
      int block = pushAll(cluster, assignment);
      FakeServer server = cluster.server(0);
      server.verifyReports();
      List<Integer> damaged = List.of(0, 7, 8, 9, MAPS - 1);
      damaged.forEach(map -> server.damage(0, map * block + at));

      try (ShuffleRead read = cluster.read(request(assignment))) {
        assertThat(mapsMissing(read)).containsExactlyElementsOf(damaged);
        assertThat(read.counters().blocks()).isEqualTo(MAPS - damaged.size());
      }
      assertThat(server.reports()).isEqualTo(damaged.size());
    }
  }

  @Test
  void readsTheBlocksBehindADamagedOne() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, NONE)) {
      ShuffleAssignment assignment = cluster.assign(1, 1, 1);
      int block = pushAll(cluster, assignment);
      cluster.server(0).verifyReports();
      cluster.server(0).damage(0, 5 * block + 38);
      ShuffleReadRequest.Builder request = ShuffleReadRequest.builder(assignment);
      LongStream.range(0, MAPS)
          .filter(map -> map != 5)
          .forEach(map -> request.expect(0, map, (int) map));

      try (ShuffleRead read = cluster.read(request.build())) {
        assertThat(attempts(read)).hasSize(MAPS - 1);
        assertThat(read.counters().blocks()).isEqualTo(MAPS - 1);
      }
      assertThat(cluster.server(0).reports()).isEqualTo(1);
    }
  }

  @Test
  void aBlockThatIsDamagedOnItsWayIsNotLost() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, Faults.damagedFetch(0, 100))) {
      ShuffleAssignment assignment = cluster.assign(1, 1, 1);
      pushAll(cluster, assignment);
      cluster.server(0).verifyReports();

      try (ShuffleRead read = cluster.read(request(assignment))) {
        assertThat(attempts(read)).hasSize(MAPS);
      }
      assertThat(cluster.server(0).reports()).isEqualTo(1);
    }
  }

  /** The blocks come from the replica, which also writes them again to the damaged server. */
  @Test
  void writesDamagedBlocksAgainFromAnotherReplica() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(2, NONE)) {
      ShuffleAssignment assignment = cluster.assign(1, 1, 2);
      int block = pushAll(cluster, assignment);
      FakeServer server = cluster.server(0);
      server.verifyReports();
      List.of(2, 3, 11).forEach(map -> server.damage(0, map * block + BlockHeader.LENGTH));
      long stored = server.storedBytes(0);

      // Tasks begin at different replicas.
      for (int task = 0; task < 2; task++) {
        try (ShuffleRead read = cluster.read(request(assignment))) {
          assertThat(attempts(read)).hasSize(MAPS);
        }
      }

      assertThat(server.storedBytes(0)).isEqualTo(stored + 3L * block);
      assertThat(server.duplicates()).as("only lost blocks are sent").isZero();
      for (long attempt = 0; attempt < MAPS; attempt++) {
        assertThat(server.isComplete(0, attempt)).as("attempt %d", attempt).isTrue();
      }
      assertThat(cluster.server(1).storedBytes(0)).isEqualTo(stored);
    }
  }

  /** A server that reports no lost ranges must not be asked forever. */
  @Test
  void endsAVisitOfAServerThatLosesBytesWithoutReportingThem() throws Exception {
    Faults faults =
        new Faults() {
          @Override
          public Fate fetch(ServerId server, Fetch fetch) throws SluiceException {
            throw new SluiceException(StatusCode.LOST, "a file is missing");
          }
        };
    try (FakeCluster cluster = FakeCluster.inline(1, faults)) {
      ShuffleAssignment assignment = cluster.assign(1, 1, 1);
      pushAll(cluster, assignment);

      try (ShuffleRead read = cluster.read(request(assignment))) {
        assertThat(mapsMissing(read)).hasSize(MAPS);
      }
      assertThat(cluster.server(0).opens()).isBetween(2, 10);
    }
  }
}
