package io.sluice.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import io.sluice.proto.RunFileRequest;
import io.sluice.proto.ShuffleId;
import io.sluice.transport.protocol.ConnectionProofs;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
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

  /** Connections to the local socket that send nothing or half a request. */
  static AutoCloseable silentReaders(Target target) throws Exception {
    List<SocketChannel> channels = new ArrayList<>();
    try (OpenResources open = new OpenResources()) {
      for (int i = 0; i < SILENT_READERS; i++) {
        SocketChannel channel = open.add(SocketChannel.open(StandardProtocolFamily.UNIX));
        try {
          channel.connect(UnixDomainSocketAddress.of(socketOf(target)));
          if (i % 2 == 0) {
            channel.write(ByteBuffer.wrap(halfRequest()));
          }
          channels.add(channel);
        } catch (IOException refused) {
          // Beyond the limit.
        }
      }
      awaitEnd(channels);
    }
    return Attack.NOTHING_OPEN;
  }

  private static byte[] halfRequest() {
    byte[] request = new byte[40 << 10];
    ByteBuffer.wrap(request).order(ByteOrder.LITTLE_ENDIAN).putInt(64 << 10);
    return request;
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

  /** Invalid requests, and requests for files of another application. */
  static AutoCloseable falseRequests(Target target) throws Exception {
    try (Mallory mallory = Mallory.join(target)) {
      byte[] foreign =
          ConnectionProofs.prove(
                  RunFileRequest.newBuilder()
                      .setShuffle(
                          ShuffleId.newBuilder()
                              .setApplication(target.newApplication(Identity.ALICE)))
                      .setEpoch(mallory.epoch())
                      .addNames("x.run")
                      .build(),
                  mallory.credential())
              .toByteArray();
      byte[] unproved =
          RunFileRequest.newBuilder()
              .setShuffle(mallory.shuffle())
              .setEpoch(mallory.epoch())
              .addNames("../../../etc/passwd")
              .build()
              .toByteArray();
      for (byte[] request :
          List.of(
              foreign,
              unproved,
              new byte[64],
              CallAttacks.repeated(new byte[] {0x1a, 0}, 60 << 10),
              CallAttacks.repeated(new byte[] {(byte) 0xfb, 0x01}, 60 << 10))) {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
          channel.connect(UnixDomainSocketAddress.of(socketOf(target)));
          channel.write(
              ByteBuffer.allocate(4 + request.length)
                  .order(ByteOrder.LITTLE_ENDIAN)
                  .putInt(request.length)
                  .put(request)
                  .flip());
          awaitEnd(List.of(channel));
        }
      }
    }
    return Attack.NOTHING_OPEN;
  }

  private static Path socketOf(Target target) {
    return target.server().directory().resolve("data").resolve("sluice.sock");
  }

  /** Open descriptors of this process for run files of the server. */
  private static List<Integer> runFiles(Path serverDirectory) throws IOException {
    List<Integer> found = new ArrayList<>();
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
      for (Path descriptor : descriptors.toList()) {
        try {
          Path file = Files.readSymbolicLink(descriptor);
          if (file.startsWith(serverDirectory) && file.toString().endsWith(".run")) {
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
