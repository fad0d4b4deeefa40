package io.sluice.server.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.unix.FileDescriptor;
import io.sluice.common.auth.ApplicationCredential;
import io.sluice.common.auth.TestAuthority;
import io.sluice.common.file.SocketIdentity;
import io.sluice.proto.HelloReply;
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
import io.sluice.transport.protocol.ClientHandshake;
import io.sluice.transport.protocol.ConnectionGuard;
import io.sluice.transport.protocol.ProofScope;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
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
  private static final String HOST = "127.0.0.1";
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
    server = server(socket(), ConnectionGuard.OPEN);
    server.start();
  }

  private ShortCircuitServer server(Path socket, ConnectionGuard guard) {
    return new ShortCircuitServer(
        new ShortCircuitConfig(socket, 10, 3, 30_000, 60_000),
        EPOCH,
        store,
        reads,
        guard,
        hello -> HelloReply.newBuilder().setEpoch(EPOCH).build(),
        counters,
        new ShortCircuitServer.Denials() {
          @Override
          public void denied(String peer, String reason) {
            denials.add(peer + " " + reason);
          }

          @Override
          public void beyondLimit(String peer, String reason) {
            denials.add(peer + " beyond the limit: " + reason);
          }
        });
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
    try (SocketClient client = client()) {
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
    try (SocketClient client = client()) {
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
      SocketClient client = client();
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
        .contains(" beyond the limit: too many connections of user id ")
        .endsWith(", limit=3 open=3; to allow more, raise rss.server.connections.per.peer.max");
    assertThat(counters.deniedConnections()).isEqualTo(1);

    clients.get(0).close();
    await(() -> counters.openConnections() == 2);
    try (SocketClient next = client()) {
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
    try (SocketClient client = client()) {
      client.send(request());
      assertThat(client.receive()).isNull();
    }
    try (SocketClient client = client()) {
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
    try (SocketClient client = client()) {
      client.send(request(run.name(), run.name()));
      client.receive().close();
      client.receive().close();
    }
    assertThat(counters.files()).isEqualTo(1);
    assertThat(counters.absentFiles()).isEqualTo(1);
  }

  @Test
  void doesNotListenWhereOthersCanReplaceTheSocket() throws Exception {
    Path open = Files.createDirectory(directory.resolve("open"));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
    ShortCircuitServer refused = server(open.resolve("s"), ConnectionGuard.OPEN);
    assertThatThrownBy(refused::start)
        .isInstanceOf(IOException.class)
        .hasMessageContaining(open + " is writable by every user of this host");
    assertThat(open.resolve("s")).doesNotExist();
  }

  @Test
  void namesTheKeyIfTheSocketPathIsTooLong() {
    ShortCircuitServer refused =
        server(
            directory.resolve("a".repeat(107 - directory.toString().length())),
            ConnectionGuard.OPEN);
    assertThatThrownBy(refused::start)
        .isInstanceOf(IOException.class)
        .hasMessage(
            "the path has 108 bytes, at most 107 are possible;"
                + " set rss.server.shortcircuit.socket to a shorter one");
  }

  @Test
  void aDeletedFileOccupiesNoSpaceWhileAClientHasItsDescriptor() throws Exception {
    RunFile run = shuffle.spill(disk, 9);
    FileDescriptor received;
    try (SocketClient client = client()) {
      client.send(request(run.name()));
      received = client.receive();
    }
    Path open = Path.of("/proc/self/fd/" + received.intValue());
    assertThat(Files.size(open)).isEqualTo(run.length());
    store.removeShuffles(KEY.application(), List.of(KEY.shuffle()));
    files.deletePending();
    assertThat(Files.size(open)).isZero();
    assertThat(received.read(ByteBuffer.allocateDirect(100), 0, 100)).isNegative();
    received.close();
  }

  @Test
  void aConnectionProvesItsApplicationForThisSocket() throws Exception {
    TestAuthority authority = new TestAuthority();
    Optional<ApplicationCredential> credential = Optional.of(authority.issue("app", "u", 60_000));
    RunFile run = shuffle.spill(disk, 9);
    Path path = directory.resolve("secured");
    try (ShortCircuitServer secured =
        server(
            path,
            new ConnectionGuard(authority.verifier(), true, new SecureRandom(), Runnable::run))) {
      secured.start();
      ProofScope scope = ProofScope.ofSocket(SocketIdentity.of(path.toString()));
      try (SocketClient client = new SocketClient(path)) {
        assertThat(client.greet(new ClientHandshake("app", "test", credential, scope, HOST)))
            .isEqualTo(EPOCH);
        client.send(request(run.name()));
        client.receive().close();
      }
      assertThat(counters.files()).isEqualTo(1);
      for (ClientHandshake refused :
          List.of(
              new ClientHandshake("app", "test", credential, ProofScope.DATA, HOST),
              new ClientHandshake("other", "test", credential, scope, HOST),
              new ClientHandshake("app", "test", Optional.empty(), scope, HOST))) {
        try (SocketClient client = new SocketClient(path)) {
          assertThatThrownBy(() -> client.greet(refused)).isInstanceOf(EOFException.class);
        }
      }
      try (SocketClient client = new SocketClient(path)) {
        client.send(request(run.name()));
        assertThat(client.receive()).as("without a handshake").isNull();
      }
      assertThat(counters.deniedConnections()).isEqualTo(4);
      assertThat(counters.files()).isEqualTo(1);
    }
  }

  private SocketClient client() throws IOException {
    return new SocketClient(socket()).greet(KEY.application());
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
