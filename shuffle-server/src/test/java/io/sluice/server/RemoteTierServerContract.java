package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.DiskState;
import io.sluice.proto.GetStatusRequest;
import io.sluice.proto.OpenReply;
import io.sluice.proto.Presence;
import io.sluice.proto.ShuffleServerControlGrpc;
import io.sluice.proto.UnregisterShufflesRequest;
import io.sluice.server.cluster.FakeCoordinator;
import io.sluice.server.log.BlockBytes;
import io.sluice.server.remote.LocalFileSystemProvider;
import io.sluice.server.remote.spi.RemoteEntry;
import io.sluice.server.remote.spi.RemoteFileSystem;
import io.sluice.server.remote.spi.RemoteOutput;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests a server whose local directory is too small for the pushed data. Most of the data is
 * written to a remote file system and read from there.
 */
@Timeout(600)
public abstract class RemoteTierServerContract {
  private static final int PARTITIONS = 4;
  private static final int BLOCK_BYTES = 200_000;

  /** More than memory, the directory and the expected data in the remote tier, 16 MiB each. */
  private static final int BLOCKS = 260;

  /** Bytes that are in the remote tier at least after a push. */
  protected static final long REMOTE_BYTES = 16 << 20;

  /** Limit for a state that is reached within seconds on idle cores. */
  private static final int WAIT_SECONDS = 150;

  @TempDir protected Path directory;
  private FakeCoordinator coordinator;
  private final List<ShuffleServerProcess> servers = new ArrayList<>();
  private final Map<Integer, ByteArrayOutputStream> pushed = new HashMap<>();

  /** Class path of the file system implementation. */
  protected abstract String classPath() throws IOException;

  /** URI of the remote tier, whose files are below {@link #remote}. */
  protected abstract String location();

  /** Additional settings of a server. */
  protected Map<String, String> settings() {
    return Map.of();
  }

  /** The local directory with the files of the remote tier. */
  protected Path remote() {
    return directory.resolve("remote");
  }

  /** Opens the files of the remote tier for the test. */
  protected RemoteFileSystem openRemote() throws IOException {
    return LocalFileSystemProvider.shared(remote());
  }

  /** Makes the remote tier unavailable before a server starts. */
  protected void makeUnavailable() throws IOException {
    Files.writeString(remote(), "a file where a directory should be");
  }

  @BeforeEach
  void startCoordinator() throws IOException {
    coordinator = new FakeCoordinator(0);
  }

  @AfterEach
  void stopAll() {
    servers.forEach(ShuffleServerProcess::close);
    coordinator.close();
  }

  @Test
  void storesOverflowOfLocalDirectoriesRemotely() throws Exception {
    ShuffleServerProcess server = start("one", Map.of());
    push(server, "app");
    // Memory stores at most 16 MiB. The full directory is brought below its low watermark (85 %); a
    // later spill may fill it again up to its high one (95 %), where it stays.
    await(() -> remoteBytes() > REMOTE_BYTES);
    await(() -> disk(server, "HDD").getFreeBytes() > 16 * 0.05 * (1 << 20));
    assertThat(remoteFiles().keySet())
        .allSatisfy(
            file ->
                assertThat(file).matches("app/127\\.0\\.0\\.1_[0-9a-f]{16}/[0-9a-f]{32}\\.run"));
    assertServesAll(server, "app");
    DiskState tier = disk(server, "REMOTE");
    assertThat(tier.getPath()).isEqualTo(location());
    assertThat(tier.getHealthy()).isTrue();
    assertThat(tier.getCapacityBytes()).isPositive();

    unregister(server, "app");
    await(() -> remoteFiles().isEmpty() && directoriesOf("app") == 0);
  }

  @Test
  void servesRemoteRunsAfterACleanRestart() throws Exception {
    ShuffleServerProcess server = start("one", Map.of());
    push(server, "app");
    await(() -> remoteBytes() > REMOTE_BYTES);
    server.close();
    assertThat(remoteBytes()).isGreaterThan(REMOTE_BYTES);
    String known = remoteFiles().keySet().iterator().next();
    String stray =
        known.substring(0, known.lastIndexOf('/')) + "/0123456789abcdef0123456789abcdef.run";
    try (RemoteFileSystem files = openRemote()) {
      write(files, stray, "not in any catalog");
    }
    assertThat(remoteFiles()).containsKey(stray);
    ShuffleServerProcess again = start("one", Map.of());
    assertServesAll(again, "app");
    assertThat(remoteFiles()).doesNotContainKey(stray);
  }

  @Test
  void keepsRunsOfOtherServers() throws Exception {
    ShuffleServerProcess one = start("one", Map.of());
    ShuffleServerProcess two = start("two", Map.of());
    push(one, "app");
    pushed.clear();
    push(two, "app");
    await(() -> remoteBytes() > 2 * REMOTE_BYTES);
    unregister(one, "app");
    await(() -> directoriesOf("app") == 1);
    assertServesAll(two, "app");
    one.close();
    start("one", Map.of());
    assertServesAll(two, "app");
  }

  @Test
  void startsWithoutAnUnavailableRemoteTier() throws Exception {
    makeUnavailable();
    ShuffleServerProcess server =
        start("one", Map.of("rss.server.remote.storage.start.timeout", "100ms"));
    assertThat(disk(server, "REMOTE").getHealthy()).isFalse();
    try (RawClient client = new RawClient(server.nettyPort(), "app")) {
      client.push(0, 0, 1, new byte[10]);
      assertThat(client.open(0, 0, server.epoch()).getPartitions(0).getPresence())
          .isEqualTo(Presence.PRESENT);
    }
  }

  @Test
  void failsToStartWithoutTheClassesOfTheFileSystem() {
    assertThatThrownBy(
            () -> start("one", Map.of("rss.server.hadoop.classpath", "/no/such/directory/*")))
        .isInstanceOf(StartException.class)
        .hasMessageStartingWith(
            "rss.storage.type MEMORY_LOCALFILE_HDFS: no remote file system on the class path"
                + " rss.server.hadoop.classpath /no/such/directory/*")
        .hasMessageNotContaining("\n");
  }

  @Test
  void reportsMissingBytesAsLost() throws Exception {
    ShuffleServerProcess server = start("one", Map.of());
    push(server, "app");
    await(() -> remoteBytes() > REMOTE_BYTES);
    try (RemoteFileSystem files = openRemote()) {
      for (String file : remoteFiles().keySet()) {
        files.delete(file);
      }
    }
    try (RawClient client = new RawClient(server.nettyPort(), "app")) {
      SluiceException failure =
          catchThrowableOfType(SluiceException.class, () -> fetchAll(client, server, 0));
      assertThat(failure.code()).isEqualTo(StatusCode.LOST);
    }
  }

  protected ShuffleServerProcess start(String name, Map<String, String> more) throws Exception {
    Map<String, String> values = new HashMap<>();
    values.put("rss.storage.type", "MEMORY_LOCALFILE_HDFS");
    values.put("rss.server.remote.storage.path", location());
    values.put("rss.server.hadoop.classpath", classPath());
    values.put("rss.server.flush.cold.storage.threshold.size", "1m");
    values.put("rss.server.disk.capacity", "16m");
    // Longer than any test, and than a start and a stop on busy cores.
    values.put("rss.server.app.expired.withoutHeartbeat", "20m");
    values.put("rss.server.remote.storage.start.timeout", "2m");
    values.put("rss.server.stop.timeout", "1m");
    values.put("rss.storage.basePath", directory.resolve(name) + ":HDD");
    values.putAll(settings());
    values.putAll(more);
    ShuffleServerProcess server =
        ShuffleServerProcess.start(
            TestServers.config(coordinator.address(), directory.resolve(name), values));
    servers.add(server);
    return server;
  }

  protected void push(ShuffleServerProcess server, String application) throws IOException {
    push(server, application, BLOCKS);
  }

  protected void push(ShuffleServerProcess server, String application, int blocks)
      throws IOException {
    Random random = new Random(1);
    try (RawClient client = new RawClient(server.nettyPort(), application)) {
      for (int i = 0; i < blocks; i++) {
        byte[] payload = new byte[BLOCK_BYTES];
        random.nextBytes(payload);
        int partition = i % PARTITIONS;
        client.push(0, partition, i, payload);
        pushed
            .computeIfAbsent(partition, unused -> new ByteArrayOutputStream())
            .writeBytes(BlockBytes.block(i, 0, partition, 0, true, payload));
      }
    }
  }

  /** Pushes blocks of 1 MiB that are not compared later. */
  protected static void pushBytes(ShuffleServerProcess server, String application, long bytes)
      throws IOException {
    byte[] payload = new byte[1 << 20];
    new Random(2).nextBytes(payload);
    try (RawClient client = new RawClient(server.nettyPort(), application)) {
      for (int i = 0; i < bytes / payload.length; i++) {
        client.push(0, i % PARTITIONS, i, payload);
      }
    }
  }

  protected void assertServesAll(ShuffleServerProcess server, String application)
      throws IOException {
    try (RawClient client = new RawClient(server.nettyPort(), application)) {
      for (int partition = 0; partition < PARTITIONS; partition++) {
        byte[] expected = pushed.get(partition).toByteArray();
        byte[] found = fetchAll(client, server, partition);
        assertThat(found.length).as("bytes of partition %d", partition).isEqualTo(expected.length);
        assertThat(Arrays.mismatch(found, expected)).as("partition %d", partition).isEqualTo(-1);
      }
    }
  }

  private static byte[] fetchAll(RawClient client, ShuffleServerProcess server, int partition)
      throws IOException {
    OpenReply open = client.open(0, partition, server.epoch());
    long length = open.getPartitions(0).getLength();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    long at = 0;
    while (at < length) {
      long count = Math.min(1_000_000, length - at);
      bytes.writeBytes(client.fetch(0, partition, at, count));
      at += count;
    }
    return bytes.toByteArray();
  }

  private static <T> T control(
      ShuffleServerProcess server,
      Function<ShuffleServerControlGrpc.ShuffleServerControlBlockingStub, T> call) {
    ManagedChannel channel =
        ManagedChannelBuilder.forAddress("127.0.0.1", server.rpcPort()).usePlaintext().build();
    try {
      return call.apply(
          ShuffleServerControlGrpc.newBlockingStub(channel)
              .withDeadlineAfter(30, TimeUnit.SECONDS));
    } finally {
      channel.shutdownNow();
    }
  }

  protected static DiskState disk(ShuffleServerProcess server, String kind) {
    return control(server, stub -> stub.getStatus(GetStatusRequest.getDefaultInstance()))
        .getLoad()
        .getDisksList()
        .stream()
        .filter(disk -> disk.getKind().equals(kind))
        .findFirst()
        .orElseThrow();
  }

  protected static void unregister(ShuffleServerProcess server, String application) {
    control(
        server,
        stub ->
            stub.unregisterShuffles(
                UnregisterShufflesRequest.newBuilder()
                    .setApplication(application)
                    .addShuffles(0)
                    .build()));
  }

  private int directoriesOf(String application) throws IOException {
    try (RemoteFileSystem files = openRemote()) {
      return files.list(application).size();
    }
  }

  /** Lengths of the run files, by path. */
  private Map<String, Long> remoteFiles() throws IOException {
    Map<String, Long> found = new TreeMap<>();
    try (RemoteFileSystem files = openRemote()) {
      addRunFiles(files, "", found);
    }
    return found;
  }

  private static void addRunFiles(RemoteFileSystem files, String path, Map<String, Long> found)
      throws IOException {
    for (RemoteEntry entry : files.list(path)) {
      String child = path.isEmpty() ? entry.name() : path + "/" + entry.name();
      if (entry.isDirectory()) {
        addRunFiles(files, child, found);
      } else if (child.endsWith(".run")) {
        found.put(child, entry.length());
      }
    }
  }

  protected long remoteBytes() throws IOException {
    return remoteFiles().values().stream().mapToLong(Long::longValue).sum();
  }

  protected static void write(RemoteFileSystem files, String path, String text) throws IOException {
    try (RemoteOutput output = files.create(path)) {
      output.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
      output.complete();
    }
  }

  protected static void await(Callable<Boolean> condition) throws Exception {
    await(condition, WAIT_SECONDS);
  }

  protected static void await(Callable<Boolean> condition, int seconds) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (true) {
      try {
        if (condition.call()) {
          return;
        }
      } catch (java.io.UncheckedIOException | java.nio.file.NoSuchFileException e) {
        // A file was deleted while the directory was being listed.
        assertThat(System.nanoTime()).isLessThan(deadline);
      }
      assertThat(System.nanoTime()).as("condition met in time").isLessThan(deadline);
      TimeUnit.MILLISECONDS.sleep(5);
    }
  }
}
