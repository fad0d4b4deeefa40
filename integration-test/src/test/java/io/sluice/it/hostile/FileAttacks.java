package io.sluice.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import io.sluice.client.read.ShuffleRead;
import io.sluice.proto.Hello;
import io.sluice.proto.HelloChallenge;
import io.sluice.proto.HelloProof;
import io.sluice.proto.RunFileRequest;
import io.sluice.proto.ShuffleId;
import io.sluice.proto.Status;
import io.sluice.transport.protocol.ConnectionProofs;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Misuse of file descriptors and of the local socket by a process on the server's host. */
final class FileAttacks {
  private static final int STORED_BYTES = 24 << 20;
  private static final int FETCHES = 60;
  private static final int FETCH_BYTES = 4097;

  private static final int SILENT_READERS = HostileCluster.MAX_CONNECTIONS + 50;
  private static final long POLL_MS = 50;

  private static final int GREEDY_READERS = 20;
  private static final int GREEDY_REQUESTS = 5_000;

  /** Maximum number of files in one request. */
  private static final int MAX_REQUESTED = 64;

  /** The limit of pending files of a user is 1,024; the server has some open for itself. */
  private static final int MAX_OPEN_RUN_FILES = 1_500;

  private static final int F_GETFL = 3;
  private static final int F_SETFL = 4;
  private static final int FADV_RANDOM = 1;
  private static final int FADV_DONTNEED = 4;

  /** Value of O_DIRECT on Linux for architectures with another value. */
  private static final int O_DIRECT =
      System.getProperty("os.arch").equals("aarch64") ? 0x10000 : 0x4000;

  private FileAttacks() {}

  /**
   * Sets O_DIRECT on a descriptor received from the server. If server and client shared one open
   * file description, later reads of the server at unaligned offsets would fail.
   */
  static AutoCloseable directIoOnDescriptors(Target target) throws Exception {
    OpenResources open = new OpenResources();
    try {
      Mallory mallory =
          open.add(Mallory.join(target, 1, Map.of("rss.client.read.shortcircuit.enabled", "true")));
      mallory.store(STORED_BYTES);
      open.add(mallory.beginRead(0));
      List<Integer> descriptors = runFiles(target.server().directory());
      assertThat(descriptors).as("received descriptors of run files").isNotEmpty();
      for (int descriptor : descriptors) {
        spoil(descriptor);
      }
      FramePeer peer = open.add(FramePeer.greeted(target, mallory.credential()));
      for (int i = 0; i < FETCHES; i++) {
        long offset = 1001L + i * 300_007L;
        peer.send(Frames.of(Frames.FETCH, i + 3, mallory.fetch(0, offset, FETCH_BYTES)));
        // The server's metrics show failed reads.
        assertThat(peer.receive()).as("reply to fetch %d", i).isNotNull();
      }
      return open;
    } catch (Exception | AssertionError e) {
      open.close();
      throw e;
    }
  }

  /** Connections to the local socket that send nothing, half a message or only a handshake. */
  static AutoCloseable silentReaders(Target target) throws Exception {
    List<SocketChannel> channels = new ArrayList<>();
    try (OpenResources open = new OpenResources()) {
      Mallory mallory = open.add(Mallory.join(target));
      for (int i = 0; i < SILENT_READERS; i++) {
        try {
          LocalPeer peer =
              open.add(
                  i % 3 == 2
                      ? LocalPeer.greeted(target, mallory.credential())
                      : new LocalPeer(target));
          if (i % 3 == 1) {
            peer.send(LocalPeer.header(LocalPeer.HELLO, 4 << 10, 3 << 10).array());
          }
          channels.add(peer.channel());
        } catch (IOException refused) {
          // Beyond the limit.
        }
      }
      awaitEnd(channels);
    }
    return Attack.NOTHING_OPEN;
  }

  /** Connections whose peer requests descriptors and accepts none of them. */
  static AutoCloseable descriptorsNotAccepted(Target target) throws Exception {
    OpenResources open = new OpenResources();
    try {
      Mallory mallory = open.add(Mallory.join(target));
      mallory.store(STORED_BYTES);
      RunFileRequest.Builder request =
          RunFileRequest.newBuilder().setShuffle(mallory.shuffle()).setEpoch(mallory.epoch());
      awaitRunFiles(target).forEach(request::addNames);
      while (request.getNamesCount() < MAX_REQUESTED) {
        // So long that the server does not receive more than 16 requests at once.
        request.addNames("f".repeat(32) + ".run");
      }
      byte[] frame = LocalPeer.frame(LocalPeer.RUN_FILES, request.build().toByteArray());
      for (int i = 0; i < GREEDY_READERS; i++) {
        LocalPeer peer = open.add(LocalPeer.greeted(target, mallory.credential()));
        peer.channel().configureBlocking(false);
        int sent = 0;
        while (sent < GREEDY_REQUESTS
            && peer.channel().write(ByteBuffer.wrap(frame)) == frame.length) {
          sent++;
        }
        assertThat(sent).as("requests until the server stops reading").isLessThan(GREEDY_REQUESTS);
      }
      // Requests are handled in order on one thread: when this one is answered, so are the others.
      try (LocalPeer last = LocalPeer.greeted(target, mallory.credential())) {
        last.send(frame);
        assertThat(last.channel().read(ByteBuffer.allocate(1))).isEqualTo(1);
      }
      Path process = Path.of("/proc", Long.toString(target.server().pid()), "fd");
      assertThat(openRunFiles(process, target.server().directory()))
          .as("run files that the server has open")
          .hasSizeLessThan(MAX_OPEN_RUN_FILES);
      return open;
    } catch (Exception | AssertionError e) {
      open.close();
      throw e;
    }
  }

  /** Descriptors that stay open after their application has ended. */
  static AutoCloseable deletedFilesKeptOpen(Target target) throws Exception {
    OpenResources open = new OpenResources();
    try {
      List<FileChannel> kept = new ArrayList<>();
      try (Mallory mallory =
          Mallory.join(target, 1, Map.of("rss.client.read.shortcircuit.enabled", "true"))) {
        mallory.store(STORED_BYTES);
        try (ShuffleRead reading = mallory.beginRead(0)) {
          assertThat(reading).isNotNull();
          for (int descriptor : runFiles(target.server().directory())) {
            kept.add(
                open.add(
                    FileChannel.open(
                        Path.of("/proc/self/fd/" + descriptor), StandardOpenOption.READ)));
          }
        }
      }
      assertThat(kept).as("received descriptors of run files").isNotEmpty();
      awaitEmpty(kept);
      return open;
    } catch (Exception | AssertionError e) {
      open.close();
      throw e;
    }
  }

  private static void awaitEmpty(List<FileChannel> files) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Bounds.WAIT_SECONDS);
    long bytes;
    do {
      bytes = 0;
      for (FileChannel file : files) {
        bytes += file.size();
      }
      if (bytes > 0) {
        TimeUnit.MILLISECONDS.sleep(POLL_MS);
      }
    } while (bytes > 0 && System.nanoTime() < deadline);
    assertThat(bytes)
        .as("bytes of deleted files that are open, after %d s", Bounds.WAIT_SECONDS)
        .isZero();
  }

  /** Names of the run files of the server, at most as many as one request can have. */
  private static List<String> awaitRunFiles(Target target) throws Exception {
    Path runs = target.server().directory().resolve("data").resolve("runs");
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Bounds.WAIT_SECONDS);
    List<String> names = List.of();
    while (names.isEmpty() && System.nanoTime() < deadline) {
      try (Stream<Path> files = Files.list(runs)) {
        names =
            files
                .map(file -> file.getFileName().toString())
                .filter(name -> name.endsWith(".run"))
                .limit(MAX_REQUESTED)
                .toList();
      }
      if (names.isEmpty()) {
        TimeUnit.MILLISECONDS.sleep(POLL_MS);
      }
    }
    assertThat(names).as("run files of the server").isNotEmpty();
    return names;
  }

  private static void awaitEnd(List<SocketChannel> channels) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Bounds.WAIT_SECONDS);
    List<SocketChannel> open = new ArrayList<>(channels);
    for (SocketChannel channel : channels) {
      channel.configureBlocking(false);
    }
    while (!open.isEmpty() && System.nanoTime() < deadline) {
      open.removeIf(FileAttacks::isEnded);
      TimeUnit.MILLISECONDS.sleep(POLL_MS);
    }
    assertThat(open.size())
        .as("idle connections still open after %d s", Bounds.WAIT_SECONDS)
        .isZero();
  }

  private static boolean isEnded(SocketChannel channel) {
    try {
      return channel.read(ByteBuffer.allocate(64)) < 0;
    } catch (IOException reset) {
      return true;
    }
  }

  /** Handshakes and requests that the server must refuse. */
  static AutoCloseable falseRequests(Target target) throws Exception {
    try (Mallory mallory = Mallory.join(target)) {
      replay(target, mallory);
      ofTheDataPort(target, mallory);
      RunFileRequest.Builder request =
          RunFileRequest.newBuilder()
              .setShuffle(mallory.shuffle())
              .setEpoch(mallory.epoch())
              .addNames("../../../etc/passwd");
      byte[] foreign =
          request
              .clone()
              .setShuffle(
                  ShuffleId.newBuilder().setApplication(target.newApplication(Identity.ALICE)))
              .build()
              .toByteArray();
      for (byte[] refused :
          List.of(
              foreign,
              new byte[64],
              CallAttacks.repeated(new byte[] {0x1a, 0}, 3 << 10),
              CallAttacks.repeated(new byte[] {(byte) 0xfb, 0x01}, 3 << 10),
              new byte[60 << 10])) {
        try (LocalPeer peer = LocalPeer.greeted(target, mallory.credential())) {
          sendUntilRefused(peer, LocalPeer.frame(LocalPeer.RUN_FILES, refused));
          awaitEnd(List.of(peer.channel()));
        }
      }
      for (byte[] refused :
          List.of(
              LocalPeer.frame(LocalPeer.RUN_FILES, request.build().toByteArray()),
              LocalPeer.frame(
                  LocalPeer.HELLO, FramePeer.hello(mallory.application()).build().toByteArray()),
              LocalPeer.frame(LocalPeer.PROOF, new byte[34]),
              LocalPeer.header(LocalPeer.HELLO, Integer.MIN_VALUE, 100).array(),
              new byte[100])) {
        try (LocalPeer peer = new LocalPeer(target)) {
          sendUntilRefused(peer, refused);
          awaitEnd(List.of(peer.channel()));
        }
      }
    }
    return Attack.NOTHING_OPEN;
  }

  private static void sendUntilRefused(LocalPeer peer, byte[] bytes) {
    try {
      peer.send(bytes);
    } catch (IOException refused) {
      // Refused after the header.
    }
  }

  /** The proof of an earlier connection to the socket. */
  private static void replay(Target target, Mallory mallory) throws Exception {
    ConnectionProofs proofs = LocalPeer.proofs(target, mallory.credential());
    Hello.Builder hello = FramePeer.hello(mallory.application());
    proofs.introduce(hello);
    HelloProof recorded;
    try (LocalPeer peer = new LocalPeer(target)) {
      peer.send(LocalPeer.HELLO, hello.build());
      recorded = proofs.answer(HelloChallenge.parseFrom(peer.receive(LocalPeer.CHALLENGE)));
      peer.send(LocalPeer.PROOF, recorded);
      assertThat(peer.receive(LocalPeer.HELLO_REPLY)).isNotEmpty();
    }
    try (LocalPeer peer = new LocalPeer(target)) {
      peer.send(LocalPeer.HELLO, hello.build());
      assertThat(peer.receive(LocalPeer.CHALLENGE)).isNotEmpty();
      peer.send(LocalPeer.PROOF, recorded);
      awaitEnd(List.of(peer.channel()));
    }
  }

  /** Handshakes that are forwarded between data port and socket, in both directions. */
  private static void ofTheDataPort(Target target, Mallory mallory) throws Exception {
    ConnectionProofs ofPort = Target.proofs(mallory.credential());
    try (LocalPeer peer = new LocalPeer(target)) {
      Hello.Builder hello = FramePeer.hello(mallory.application());
      ofPort.introduce(hello);
      peer.send(LocalPeer.HELLO, hello.build());
      peer.send(
          LocalPeer.PROOF,
          ofPort.answer(HelloChallenge.parseFrom(peer.receive(LocalPeer.CHALLENGE))));
      awaitEnd(List.of(peer.channel()));
    }
    ConnectionProofs ofSocket = LocalPeer.proofs(target, mallory.credential());
    try (FramePeer peer = FramePeer.connect(target)) {
      Hello.Builder hello = FramePeer.hello(mallory.application());
      ofSocket.introduce(hello);
      peer.send(Frames.of(Frames.HELLO, 1, hello.build()));
      HelloChallenge challenge = HelloChallenge.parseFrom(peer.receive().head());
      peer.send(Frames.of(Frames.PROOF, 2, ofSocket.answer(challenge)));
      assertThat(peer.receive().status()).isEqualTo(Status.DENIED);
    }
  }

  /** Open descriptors of this process for run files of the server. */
  private static List<Integer> runFiles(Path serverDirectory) throws IOException {
    return openRunFiles(Path.of("/proc/self/fd"), serverDirectory);
  }

  private static List<Integer> openRunFiles(Path process, Path serverDirectory) throws IOException {
    List<Integer> found = new ArrayList<>();
    try (Stream<Path> descriptors = Files.list(process)) {
      for (Path descriptor : descriptors.toList()) {
        try {
          Path file = Files.readSymbolicLink(descriptor);
          if (file.startsWith(serverDirectory) && file.toString().contains(".run")) {
            found.add(Integer.parseInt(descriptor.getFileName().toString()));
          }
        } catch (IOException closedMeanwhile) {
          // For example the descriptor of the listing itself.
        }
      }
    }
    return found;
  }

  private static void spoil(int descriptor) {
    // Sync first, so that the kernel can drop the page cache and the server reads from disk.
    call("fsync", descriptor);
    call("posix_fadvise", descriptor, 0L, 0L, FADV_DONTNEED);
    call("posix_fadvise", descriptor, 0L, 0L, FADV_RANDOM);
    call("flock", descriptor, 2);
    int flags = call("fcntl", descriptor, F_GETFL);
    assertThat(call("fcntl", descriptor, F_SETFL, flags | O_DIRECT))
        .as("fcntl(F_SETFL, O_DIRECT): does the file system of java.io.tmpdir support direct I/O?")
        .isZero();
    assertThat(call("fcntl", descriptor, F_GETFL) & O_DIRECT).isEqualTo(O_DIRECT);
  }

  private static int call(String function, Object... arguments) {
    Function called = NativeLibrary.getInstance("c").getFunction(function);
    return called.invokeInt(arguments);
  }
}
