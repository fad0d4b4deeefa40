package io.sluice.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.unix.FileDescriptor;
import io.sluice.proto.RunFileRequest;
import io.sluice.proto.ShuffleId;
import io.sluice.server.background.SpilledShuffle;
import io.sluice.server.catalog.InMemoryCatalog;
import io.sluice.server.disk.DirectoryConfig;
import io.sluice.server.disk.DirectoryStorage;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskLimits;
import io.sluice.server.disk.Fsync;
import io.sluice.server.disk.RunFile;
import io.sluice.server.disk.RunFiles;
import io.sluice.server.disk.StorageKind;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.log.StoreConfig;
import io.sluice.server.read.FileReads;
import io.sluice.server.read.InlineReads;
import io.sluice.transport.protocol.ConnectionGuard;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Uses a real socket and run files in a real directory. */
@EnabledOnOs(OS.LINUX)
@Timeout(120)
class ShortCircuitServerTest {
  private static final long EPOCH = 7;
  private static final ShuffleKey KEY = new ShuffleKey("app", 1);

  @TempDir Path directory;

  private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(1);
  private final FileReads reads = InlineReads.create(timer);
  private final ShuffleStore store = new ShuffleStore(StoreConfig.DEFAULT);
  private final RunFiles files = new RunFiles(8);
  private final SpilledShuffle shuffle = new SpilledShuffle(store, files, KEY, 700);
  private final ShortCircuitCounters counters = new ShortCircuitCounters();
  private final Queue<String> denials = new ConcurrentLinkedQueue<>();
  private DirectoryStorage storage;
  private Disk disk;
  private ShortCircuitServer server;

  @BeforeEach
  void start() throws Exception {
    storage =
        DirectoryStorage.open(
            new DirectoryConfig(directory.resolve("d"), Optional.of(StorageKind.SSD), 1L << 30, 1),
            Fsync.NEVER,
            "test");
    disk = new Disk(storage, new InMemoryCatalog(), DiskLimits.DEFAULT, System::nanoTime);
    server =
        new ShortCircuitServer(
            new ShortCircuitConfig(socket(), 10, 3, 30_000, 60_000),
            EPOCH,
            store,
            reads,
            ConnectionGuard.OPEN,
            counters,
            (peer, reason) -> denials.add(peer + " " + reason));
    server.start();
  }

  @AfterEach
  void stop() throws Exception {
    server.close();
    reads.close();
    store.close();
    files.close();
    timer.shutdownNow();
    storage.close();
  }

  @Test
  void aClientsDescriptorIsIndependentOfTheServers() throws Exception {
    RunFile run = shuffle.spill(disk, 9);
    assertThat(run.tryRetain()).isTrue();
    FileDescriptor received;
    try (SocketClient client = new SocketClient(socket())) {
      client.send(request(run.name()));
      received = client.receive();
    }
    // An open file description includes the position, the flags and the read-ahead: with a shared
    // one, a client that sets O_DIRECT would make the server's unaligned reads fail.
    assertThat(received.read(ByteBuffer.allocateDirect(100), 0, 100)).isEqualTo(100);
    assertThat(run.channel().position()).isZero();
    received.close();
    shuffle.checkEveryBlock();
    run.release();
  }

  @Test
  void sendsThePlaceholderForAnAbsentFile() throws Exception {
    RunFile run = shuffle.spill(disk, 9);
    storage.delete(run.name());
    try (SocketClient client = new SocketClient(socket())) {
      client.send(request(run.name(), "unknown.run"));
      FileDescriptor first = client.receive();
      FileDescriptor second = client.receive();
      assertThat(first.read(ByteBuffer.allocateDirect(100), 0, 100)).as("end of file").isNegative();
      assertThat(second.read(ByteBuffer.allocateDirect(100), 0, 100)).isNegative();
      first.close();
      second.close();
    }
    assertThat(counters.absentFiles()).isEqualTo(2);
    assertThat(counters.files()).isZero();
  }

  @Test
  void limitsConnectionsPerUser() throws Exception {
    RunFile run = shuffle.spill(disk, 9);
    List<SocketClient> clients = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      SocketClient client = new SocketClient(socket());
      clients.add(client);
      client.send(request(run.name()));
      client.receive().close();
    }
    try (SocketClient oneMore = new SocketClient(socket())) {
      assertThat(oneMore.receive()).as("closed").isNull();
    }
    assertThat(denials)
        .singleElement()
        .asString()
        .startsWith("uid=")
        .contains("pid=" + ProcessHandle.current().pid())
        .endsWith("too many connections of this user, limit 3");
    assertThat(counters.deniedConnections()).isEqualTo(1);

    clients.get(0).close();
    await(() -> counters.openConnections() == 2);
    try (SocketClient next = new SocketClient(socket())) {
      next.send(request(run.name()));
      next.receive().close();
    }
    for (SocketClient client : clients.subList(1, 3)) {
      client.send(request(run.name()));
      client.receive().close();
      client.close();
    }
    await(() -> counters.openConnections() == 0);
  }

  @Test
  void reportsRefusedPeersWithoutTheirInput() throws Exception {
    try (SocketClient client = new SocketClient(socket())) {
      client.send(request());
      assertThat(client.receive()).isNull();
    }
    try (SocketClient client = new SocketClient(socket())) {
      client.send(request("x.run"));
      client.receive().close();
      client.send(
          RunFileRequest.newBuilder()
              .setShuffle(ShuffleId.newBuilder().setApplication("forged\nline"))
              .addNames("x.run")
              .build());
      assertThat(client.receive()).isNull();
    }
    assertThat(denials)
        .hasSize(2)
        .allMatch(line -> line.startsWith("uid=") && !line.contains("forged"));
    assertThat(counters.deniedConnections()).isEqualTo(2);
  }

  @Test
  void answersARepeatedNameOnce() throws Exception {
    RunFile run = shuffle.spill(disk, 9);
    try (SocketClient client = new SocketClient(socket())) {
      client.send(request(run.name(), run.name()));
      client.receive().close();
      client.receive().close();
    }
    assertThat(counters.files()).isEqualTo(1);
    assertThat(counters.absentFiles()).isEqualTo(1);
  }

  private static void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("deadline").isLessThan(deadline);
      Thread.onSpinWait();
    }
  }

  private Path socket() {
    return directory.resolve("s");
  }

  private static RunFileRequest request(String... names) {
    return RunFileRequest.newBuilder()
        .setShuffle(
            ShuffleId.newBuilder().setApplication(KEY.application()).setShuffle(KEY.shuffle()))
        .setEpoch(EPOCH)
        .addAllNames(List.of(names))
        .build();
  }
}
