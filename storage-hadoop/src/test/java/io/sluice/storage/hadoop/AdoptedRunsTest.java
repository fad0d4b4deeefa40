package io.sluice.storage.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.sluice.client.SluiceClient;
import io.sluice.client.coordinator.ApplicationSession;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.push.ApplicationAssignments;
import io.sluice.client.read.BlocksMissingException;
import io.sluice.client.read.ShuffleBlock;
import io.sluice.client.read.ShuffleRead;
import io.sluice.client.read.ShuffleReadRequest;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.run.RunBlock;
import io.sluice.common.run.RunExtent;
import io.sluice.common.run.RunReader;
import io.sluice.proto.DecommissionRequest;
import io.sluice.proto.ShuffleServerControlGrpc;
import io.sluice.proto.Status;
import io.sluice.server.ShuffleServerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server and its local directories are lost; another server serves its runs on the remote tier.
 */
@Timeout(180)
class AdoptedRunsTest {
  private static final int PARTITIONS = 4;
  private static final int MAPS = 60;

  @TempDir private Path directory;
  private TieredCluster cluster;
  private SluiceClient client;
  private ApplicationAssignments driver;

  @BeforeEach
  void start() throws Exception {
    cluster =
        new TieredCluster(
            directory,
            MAPS,
            PARTITIONS,
            Map.of(
                "rss.coordinator.server.heartbeat.interval", "100ms",
                "rss.coordinator.server.heartbeat.timeout", "2s",
                // Drivers renew their lease, and receive moves, every second.
                "rss.coordinator.app.expired", "3s"));
    client =
        cluster.startClient(
            Map.of(
                "rss.client.server.unreachable.timeout", "1s",
                "rss.client.retry.interval.max", "100ms"));
    ApplicationSession session = client.applicationSession("me");
    driver = new ApplicationAssignments(session::replacementServer, 10, System::nanoTime);
    session.onMoved(driver::moved);
  }

  @AfterEach
  void stop() throws Exception {
    cluster.close();
  }

  private ShuffleServerProcess startServer(String name) throws Exception {
    return cluster.startServer(name, Map.of("rss.server.decommission.check.interval", "100ms"));
  }

  /** Starts a server again, with the same ports. */
  private ShuffleServerProcess startAgain(
      String name, ShuffleServerProcess stopped, Map<String, String> more) throws Exception {
    Map<String, String> values = new HashMap<>(more);
    values.put("rss.rpc.server.port", Integer.toString(stopped.rpcPort()));
    values.put("rss.server.netty.port", Integer.toString(stopped.nettyPort()));
    return cluster.startServer(name, values);
  }

  @Test
  void onlyBlocksThatWereNotUploadedAreMissing() throws Exception {
    ShuffleServerProcess lost = startServer("lost");
    ShuffleAssignment assignment = pushAll();
    final ShuffleServerProcess adopter = startServer("adopter");
    lost.close();
    deleteTree(directory.resolve("lost"));
    Set<String> uploaded = uploaded();
    assertThat(uploaded).isNotEmpty().hasSizeLessThan(MAPS * PARTITIONS);

    awaitServers(assignment, 2);

    assertThat(missing(assignment)).isEqualTo(without(uploaded));

    // The adopter serves them after a restart, too. Then it is lost itself.
    adopter.close();
    ShuffleServerProcess again = startAgain("adopter", adopter, Map.of());
    assertThat(missing(assignment)).isEqualTo(without(uploaded));
    startServer("third");
    again.close();
    deleteTree(directory.resolve("adopter"));

    awaitServers(assignment, 3);

    assertThat(missing(assignment)).isEqualTo(without(uploaded));
  }

  @Test
  void aServerServesItsRemoteRunsAfterTheLossOfItsFirstDirectory() throws Exception {
    Path first = directory.resolve("first");
    Map<String, String> directories =
        Map.of(
            "rss.storage.basePath",
            first + ":HDD," + directory.resolve("second") + ":HDD",
            "rss.server.disk.capacity",
            "8m");
    ShuffleServerProcess server = cluster.startServer("both", directories);
    ShuffleAssignment assignment = pushAll();
    server.close();
    deleteTree(first);
    Set<String> uploaded = uploaded();
    assertThat(uploaded).isNotEmpty();

    startAgain("both", server, directories);

    assertThat(missing(assignment)).isNotEmpty().doesNotContainAnyElementsOf(uploaded);
  }

  @Test
  void anotherServerServesTheRunsOfAServerThatLeavesAtItsDeadline() throws Exception {
    ShuffleServerProcess leaving = startServer("leaving");
    ShuffleAssignment assignment = pushAll();
    startServer("adopter");
    decommission(leaving, DecommissionRequest.newBuilder().setDeadlineMs(1).build());
    deleteTree(directory.resolve("leaving"));
    Set<String> uploaded = uploaded();
    assertThat(uploaded).isNotEmpty().hasSizeLessThan(MAPS * PARTITIONS);

    awaitServers(assignment, 2);

    assertThat(missing(assignment)).isEqualTo(without(uploaded));
  }

  @Test
  void aServerThatMovesItsDataLeavesNoRun() throws Exception {
    ShuffleServerProcess leaving = startServer("leaving");
    ShuffleAssignment assignment = pushAll();
    Set<Path> left = remoteDirectories();
    assertThat(left).isNotEmpty();
    startServer("target");

    decommission(leaving, DecommissionRequest.newBuilder().setMove(true).build());

    assertThat(missing(assignment)).isEmpty();
    assertThat(remoteDirectories()).doesNotContainAnyElementsOf(left);
  }

  private void decommission(ShuffleServerProcess server, DecommissionRequest request)
      throws Exception {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", server.rpcPort()).usePlaintext().build();
    try {
      assertThat(
              ShuffleServerControlGrpc.newBlockingStub(channel).decommission(request).getStatus())
          .isEqualTo(Status.OK);
    } finally {
      channel.shutdownNow();
    }
    server.decommissioned().toCompletableFuture().get(60, TimeUnit.SECONDS);
    server.close();
  }

  /** Directories with run files on the tier. */
  private Set<Path> remoteDirectories() throws IOException {
    return cluster.remoteFiles().stream().map(Path::getParent).collect(Collectors.toSet());
  }

  private ShuffleAssignment newest(ShuffleAssignment assignment) {
    return driver.newest(assignment.shuffle().getShuffle());
  }

  /** Waits until the driver knows a number of servers of a shuffle. */
  private void awaitServers(ShuffleAssignment assignment, int count) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (newest(assignment).servers().size() < count) {
      assertThat(System.nanoTime()).as("adopted in time").isLessThan(deadline);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }

  /** Pushes all blocks of a new shuffle. */
  private ShuffleAssignment pushAll() throws Exception {
    ShuffleAssignment assignment = cluster.register(client);
    driver.register(assignment);
    cluster.pushAll(client, assignment);
    return assignment;
  }

  private static String key(int partition, int map) {
    return partition + "/" + map;
  }

  private static Set<String> without(Set<String> keys) {
    Set<String> others = new HashSet<>();
    for (int map = 0; map < MAPS; map++) {
      for (int partition = 0; partition < PARTITIONS; partition++) {
        others.add(key(partition, map));
      }
    }
    others.removeAll(keys);
    return others;
  }

  /** Partition and map of all output of map tasks that is complete in remote run files. */
  private Set<String> uploaded() throws IOException {
    Map<String, Integer> counts = new HashMap<>();
    Map<String, Integer> lasts = new HashMap<>();
    for (Path file : cluster.remoteFiles()) {
      try (RunReader run = RunReader.open(file)) {
        for (RunExtent extent : run.extents()) {
          for (RunBlock block : run.blocks(extent)) {
            String key = key(extent.partition(), block.mapIndex());
            counts.merge(key, 1, Integer::sum);
            if ((block.flags() & BlockHeader.FLAG_LAST) != 0) {
              lasts.put(key, block.sequence());
            }
          }
        }
      }
    }
    lasts.entrySet().removeIf(last -> counts.get(last.getKey()) != last.getValue() + 1);
    return lasts.keySet();
  }

  /** Reads the shuffle, compares all blocks, and returns partition and map of missing output. */
  private Set<String> missing(ShuffleAssignment assignment) {
    ShuffleReadRequest request =
        cluster
            .request(assignment)
            .newest(asked -> CompletableFuture.completedFuture(newest(assignment)))
            .build();
    BlocksMissingException failure =
        catchThrowableOfType(
            BlocksMissingException.class,
            () -> {
              try (ShuffleRead read = client.read(request)) {
                for (ShuffleBlock block = read.next(); block != null; block = read.next()) {
                  TieredCluster.check(block);
                }
              }
            });
    return failure == null
        ? Set.of()
        : failure.missing().stream()
            .map(blocks -> key(blocks.partition(), blocks.mapIndex()))
            .collect(Collectors.toSet());
  }

  private static void deleteTree(Path tree) throws IOException {
    try (Stream<Path> files = Files.walk(tree)) {
      for (Path file : (Iterable<Path>) files.sorted(Comparator.reverseOrder())::iterator) {
        Files.delete(file);
      }
    }
  }
}
