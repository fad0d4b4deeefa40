package io.sluice.server.shortcircuit;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.unix.FileDescriptor;
import io.sluice.common.auth.ConnectionGuard;
import io.sluice.proto.RunFileRequest;
import io.sluice.proto.ShuffleId;
import io.sluice.server.catalog.InMemoryCatalog;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.log.StoreConfig;
import io.sluice.server.read.FileReads;
import io.sluice.server.read.InlineReads;
import io.sluice.server.spill.SpilledShuffle;
import io.sluice.server.storage.DirectoryConfig;
import io.sluice.server.storage.DirectoryStorage;
import io.sluice.server.storage.Disk;
import io.sluice.server.storage.DiskLimits;
import io.sluice.server.storage.Fsync;
import io.sluice.server.storage.RunFile;
import io.sluice.server.storage.RunFiles;
import io.sluice.server.storage.StorageKind;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Over a real socket, with run files in a real directory. */
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
            new ShortCircuitConfig(socket(), 10),
            EPOCH,
            store,
            reads,
            ConnectionGuard.OPEN,
            counters);
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
  void aClientsDescriptorSharesNothingWithTheServersOwn() throws Exception {
    RunFile run = shuffle.spill(disk, 9);
    assertThat(run.tryRetain()).isTrue();
    FileDescriptor received;
    try (SocketClient client = new SocketClient(socket())) {
      client.send(request(run.name()));
      received = client.receive();
    }
    // What is shared by an open file description is its position, and its flags and read-ahead with
    // it: a client that sets O_DIRECT would make the server's unaligned reads fail.
    assertThat(received.read(ByteBuffer.allocateDirect(100), 0, 100)).isEqualTo(100);
    assertThat(run.channel().position()).isZero();
    received.close();
    shuffle.checkEveryBlock();
    run.release();
  }

  @Test
  void aFileThatIsGoneIsAnsweredWithNothingOfItsOwn() throws Exception {
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

  private Path socket() {
    return directory.resolve("s");
  }

  private static RunFileRequest request(String... names) {
    return RunFileRequest.newBuilder()
        .setShuffle(
            ShuffleId.newBuilder().setApplication(KEY.application()).setShuffle(KEY.shuffle()))
        .setEpoch(EPOCH)
        .addAllNames(java.util.List.of(names))
        .build();
  }
}
