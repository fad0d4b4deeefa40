package io.sluice.storage.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.client.ClientConfig;
import io.sluice.client.SluiceClient;
import io.sluice.client.coordinator.ApplicationSession;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.coordinator.ShuffleRegistration;
import io.sluice.client.coordinator.ShuffleRegistration.Assigned;
import io.sluice.client.push.ApplicationAssignments;
import io.sluice.client.push.MapAttempt;
import io.sluice.client.push.PushSession;
import io.sluice.client.read.BlocksMissingException;
import io.sluice.client.read.ShuffleBlock;
import io.sluice.client.read.ShuffleRead;
import io.sluice.client.read.ShuffleReadRequest;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.run.RunBlock;
import io.sluice.common.run.RunExtent;
import io.sluice.common.run.RunReader;
import io.sluice.coordinator.CoordinatorConfig;
import io.sluice.coordinator.CoordinatorProcess;
import io.sluice.server.ServerConfig;
import io.sluice.server.ShuffleServerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
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
  private static final int CONTENT_BYTES = 200_000;

  @TempDir private Path directory;
  private final Deque<AutoCloseable> toClose = new ArrayDeque<>();
  private int coordinatorPort;
  private SluiceClient client;
  private ApplicationSession session;
  private ApplicationAssignments driver;
  private int shuffle;

  @BeforeEach
  void start() throws Exception {
    CoordinatorProcess coordinator =
        CoordinatorProcess.start(
            ConfigSet.of(
                CoordinatorConfig.SCHEMA,
                Map.of(
                    "rss.coordinator.host", "127.0.0.1",
                    "rss.rpc.server.port", "0",
                    "rss.jetty.http.port", "0",
                    "rss.coordinator.server.heartbeat.interval", "100ms",
                    "rss.coordinator.server.heartbeat.timeout", "2s",
                    // Drivers renew their lease, and receive moves, every second.
                    "rss.coordinator.app.expired", "3s")));
    toClose.push(coordinator);
    coordinatorPort = coordinator.rpcPort();
    client =
        SluiceClient.start(
            ClientConfig.from(
                ConfigSet.of(
                    ClientConfig.SCHEMA,
                    Map.of(
                        "rss.coordinator.quorum", "127.0.0.1:" + coordinatorPort,
                        "rss.client.io.compression.codec", "NONE",
                        "rss.client.server.unreachable.timeout", "1s",
                        "rss.client.retry.interval.max", "100ms"))),
            "app-1",
            "test");
    toClose.push(client);
    session = client.applicationSession("me");
    driver = new ApplicationAssignments(session::replacementServer, 10, System::nanoTime);
    session.onMoved(driver::moved);
  }

  @AfterEach
  void stop() throws Exception {
    while (!toClose.isEmpty()) {
      toClose.pop().close();
    }
  }

  private ShuffleServerProcess startServer(String name) throws Exception {
    return startServer(name, Map.of());
  }

  /** Starts a server again, with the same ports. */
  private ShuffleServerProcess startAgain(
      String name, ShuffleServerProcess stopped, Map<String, String> more) throws Exception {
    Map<String, String> values = new HashMap<>(more);
    values.put("rss.rpc.server.port", Integer.toString(stopped.rpcPort()));
    values.put("rss.server.netty.port", Integer.toString(stopped.nettyPort()));
    return startServer(name, values);
  }

  private ShuffleServerProcess startServer(String name, Map<String, String> more) throws Exception {
    Map<String, String> values = new HashMap<>();
    values.put("rss.coordinator.quorum", "127.0.0.1:" + coordinatorPort);
    values.put("rss.storage.basePath", directory.resolve(name) + ":HDD");
    values.put("rss.storage.type", "MEMORY_LOCALFILE_HDFS");
    values.put("rss.server.remote.storage.path", "file:" + remote());
    values.put("rss.server.hadoop.classpath", System.getProperty("java.class.path"));
    values.put("rss.server.flush.cold.storage.threshold.size", "1m");
    values.put("rss.server.disk.capacity", "16m");
    values.put("rss.server.host", "127.0.0.1");
    values.put("rss.rpc.server.port", "0");
    values.put("rss.server.netty.port", "0");
    values.put("rss.jetty.http.port", "0");
    values.put("rss.server.buffer.capacity", "16m");
    values.putAll(more);
    ShuffleServerProcess server =
        ShuffleServerProcess.start(ConfigSet.of(ServerConfig.SCHEMA, values));
    toClose.push(server);
    return server;
  }

  private Path remote() {
    return directory.resolve("remote");
  }

  @Test
  void onlyBlocksThatWereNotUploadedAreMissing() throws Exception {
    ShuffleServerProcess lost = startServer("lost");
    ShuffleAssignment assignment = register();
    pushAll(assignment);
    final ShuffleServerProcess adopter = startServer("adopter");
    lost.close();
    deleteTree(directory.resolve("lost"));
    Set<String> uploaded = uploaded();
    assertThat(uploaded).isNotEmpty().hasSizeLessThan(MAPS * PARTITIONS);

    awaitServers(2);

    assertThat(missing(assignment)).isEqualTo(without(uploaded));

    // The adopter serves them after a restart, too. Then it is lost itself.
    adopter.close();
    ShuffleServerProcess again = startAgain("adopter", adopter, Map.of());
    assertThat(missing(assignment)).isEqualTo(without(uploaded));
    startServer("third");
    again.close();
    deleteTree(directory.resolve("adopter"));

    awaitServers(3);

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
    ShuffleServerProcess server = startServer("both", directories);
    ShuffleAssignment assignment = register();
    pushAll(assignment);
    server.close();
    deleteTree(first);
    Set<String> uploaded = uploaded();
    assertThat(uploaded).isNotEmpty();

    startAgain("both", server, directories);

    assertThat(missing(assignment)).isNotEmpty().doesNotContainAnyElementsOf(uploaded);
  }

  /** Waits until the driver knows a number of servers of the shuffle. */
  private void awaitServers(int count) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (driver.newest(shuffle).servers().size() < count) {
      assertThat(System.nanoTime()).as("adopted in time").isLessThan(deadline);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }

  private ShuffleAssignment register() throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    for (int number = 0; System.nanoTime() < deadline; number++) {
      ShuffleRegistration outcome = session.registerShuffle(number, PARTITIONS);
      if (outcome instanceof Assigned assigned) {
        driver.register(assigned.assignment());
        shuffle = number;
        return assigned.assignment();
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
    throw new AssertionError("no assignment");
  }

  private void pushAll(ShuffleAssignment assignment) throws Exception {
    for (int map = 0; map < MAPS; map++) {
      try (PushSession push = client.pushSession(assignment, new MapAttempt(100 + map, map))) {
        push.beginFinalPass();
        for (int partition = 0; partition < PARTITIONS; partition++) {
          push.add(partition, content(map, partition), 0, CONTENT_BYTES, 1);
        }
        push.finish();
      }
    }
  }

  private static byte[] content(int map, int partition) {
    byte[] content = new byte[CONTENT_BYTES];
    new Random(map * 1000L + partition).nextBytes(content);
    return content;
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
    List<Path> files;
    try (Stream<Path> all = Files.walk(remote())) {
      files = all.filter(file -> file.toString().endsWith(".run")).toList();
    }
    for (Path file : files) {
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
    ShuffleReadRequest.Builder request =
        ShuffleReadRequest.builder(assignment)
            .newest(asked -> CompletableFuture.completedFuture(driver.newest(shuffle)));
    for (int map = 0; map < MAPS; map++) {
      for (int partition = 0; partition < PARTITIONS; partition++) {
        request.expect(partition, 100 + map, map);
      }
    }
    BlocksMissingException failure =
        catchThrowableOfType(
            BlocksMissingException.class,
            () -> {
              try (ShuffleRead read = client.read(request.build())) {
                for (ShuffleBlock block = read.next(); block != null; block = read.next()) {
                  assertThat(block.content().remaining()).isPositive();
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
