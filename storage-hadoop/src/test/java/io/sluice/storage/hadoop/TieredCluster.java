package io.sluice.storage.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.ClientConfig;
import io.sluice.client.SluiceClient;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.coordinator.ShuffleRegistration;
import io.sluice.client.coordinator.ShuffleRegistration.Assigned;
import io.sluice.client.push.MapAttempt;
import io.sluice.client.push.PushSession;
import io.sluice.client.read.ShuffleBlock;
import io.sluice.client.read.ShuffleReadRequest;
import io.sluice.common.config.ConfigSet;
import io.sluice.coordinator.CoordinatorConfig;
import io.sluice.coordinator.CoordinatorProcess;
import io.sluice.server.ServerConfig;
import io.sluice.server.ShuffleServerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A coordinator, servers and clients in this process. The local disks of a server have room for a
 * part of a shuffle only; the rest is in the remote tier, a local directory. Used by one thread.
 */
final class TieredCluster implements AutoCloseable {
  private static final int CONTENT_BYTES = 200_000;

  private final Path directory;
  private final int maps;
  private final int partitions;
  private final Deque<AutoCloseable> toClose = new ArrayDeque<>();
  private final CoordinatorProcess coordinator;

  /**
   * @param directory directory of the tier and of all servers
   * @param maps map tasks of a shuffle, at most 127
   * @param partitions partitions of a shuffle, at most 127
   * @param settings more settings of the coordinator
   */
  TieredCluster(Path directory, int maps, int partitions, Map<String, String> settings)
      throws Exception {
    this.directory = directory;
    this.maps = maps;
    this.partitions = partitions;
    Map<String, String> values = new HashMap<>(settings);
    values.put("rss.coordinator.host", "127.0.0.1");
    values.put("rss.rpc.server.port", "0");
    values.put("rss.jetty.http.port", "0");
    coordinator = CoordinatorProcess.start(ConfigSet.of(CoordinatorConfig.SCHEMA, values));
    toClose.push(coordinator);
  }

  /** The directory of the tier. */
  Path remote() {
    return directory.resolve("remote");
  }

  List<Path> remoteFiles() throws IOException {
    try (Stream<Path> files = Files.walk(remote())) {
      return files.filter(file -> file.toString().endsWith(".run")).toList();
    }
  }

  /**
   * @param name its local directory
   * @param more settings, which replace others
   */
  ShuffleServerProcess startServer(String name, Map<String, String> more) throws Exception {
    Map<String, String> values = new HashMap<>();
    values.put("rss.coordinator.quorum", quorum());
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

  /** Starts a client of one application, which is not compressed. */
  SluiceClient startClient(Map<String, String> more) {
    Map<String, String> values = new HashMap<>(more);
    values.put("rss.coordinator.quorum", quorum());
    values.put("rss.client.io.compression.codec", "NONE");
    SluiceClient client =
        SluiceClient.start(
            ClientConfig.from(ConfigSet.of(ClientConfig.SCHEMA, values)), "app-1", "test");
    toClose.push(client);
    return client;
  }

  private String quorum() {
    return "127.0.0.1:" + coordinator.rpcPort();
  }

  /** Registers a shuffle as soon as there is a server. */
  ShuffleAssignment register(SluiceClient client) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    for (int shuffle = 0; System.nanoTime() < deadline; shuffle++) {
      ShuffleRegistration outcome =
          client.applicationSession("me").registerShuffle(shuffle, partitions);
      if (outcome instanceof Assigned assigned) {
        return assigned.assignment();
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
    throw new AssertionError("no assignment");
  }

  /** Pushes a block of every map task for every partition. */
  void pushAll(SluiceClient client, ShuffleAssignment assignment) throws Exception {
    for (int map = 0; map < maps; map++) {
      try (PushSession push = client.pushSession(assignment, new MapAttempt(100 + map, map))) {
        push.beginFinalPass();
        for (int partition = 0; partition < partitions; partition++) {
          push.add(partition, content(map, partition), 0, CONTENT_BYTES, 1);
        }
        push.finish();
      }
    }
  }

  /** A request for all blocks of {@link #pushAll}. */
  ShuffleReadRequest.Builder request(ShuffleAssignment assignment) {
    ShuffleReadRequest.Builder request = ShuffleReadRequest.builder(assignment);
    for (int map = 0; map < maps; map++) {
      for (int partition = 0; partition < partitions; partition++) {
        request.expect(partition, 100 + map, map);
      }
    }
    return request;
  }

  /** Fails unless a block is one of those that were pushed. */
  static void check(ShuffleBlock block) {
    byte[] found = new byte[block.content().remaining()];
    block.content().get(found);
    assertThat(found).isEqualTo(content(found[0], found[1]));
  }

  /** The first two bytes are map and partition. */
  private static byte[] content(int map, int partition) {
    byte[] content = new byte[CONTENT_BYTES];
    new Random(map * 1000L + partition).nextBytes(content);
    content[0] = (byte) map;
    content[1] = (byte) partition;
    return content;
  }

  @Override
  public void close() throws Exception {
    while (!toClose.isEmpty()) {
      toClose.pop().close();
    }
  }
}
