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

/** What a process on the server's host does with the descriptors and the socket that it gets. */
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

  /** Of Linux, on the machines that it has another value on. */
  private static final int O_DIRECT =
      System.getProperty("os.arch").equals("aarch64") ? 0x10000 : 0x4000;

  private FileAttacks() {}

  /**
   * Sets O_DIRECT on a descriptor that the server handed out. Where server and client share one
   * open file description, every read of the server at an odd offset fails from then on.
   */
  static AutoCloseable directIoOnDescriptors(Target target) throws Exception {
    Held held = new Held();
    try {
      Mallory mallory =
          held.add(Mallory.join(target, 1, Map.of("rss.client.read.shortcircuit.enabled", "true")));
      mallory.store(STORED_BYTES);
      held.add(mallory.beginRead(0));
      List<Integer> descriptors = runFiles(target.server().directory());
      assertThat(descriptors)
          .as("descriptors of run files that the server handed out")
          .isNotEmpty();
      for (int descriptor : descriptors) {
        spoil(descriptor);
      }
      FramePeer peer = held.add(FramePeer.greeted(target, mallory.credential()));
      for (int i = 0; i < FETCHES; i++) {
        long offset = 1001L + i * 300_007L;
        peer.send(Frames.of(Frames.FETCH, i + 3, mallory.fetch(0, offset, FETCH_BYTES)));
        // That reads failed is seen in the metrics of the server.
        assertThat(peer.receive()).as("reply to fetch %d", i).isNotNull();
      }
      return held;
    } catch (Exception | AssertionError e) {
      held.close();
      throw e;
    }
  }

  /** Connections to the socket for readers on this host that say nothing, or half a request. */
  static AutoCloseable silentReaders(Target target) throws Exception {
    List<SocketChannel> channels = new ArrayList<>();
    try (Held held = new Held()) {
      for (int i = 0; i < SILENT_READERS; i++) {
        SocketChannel channel = held.add(SocketChannel.open(StandardProtocolFamily.UNIX));
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
    return Attack.NOTHING_HELD;
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
        .as("silent connections that the server keeps for %d s", Bounds.WAIT_SECONDS)
        .isZero();
  }

  private static boolean isEnded(SocketChannel channel) {
    try {
      return channel.read(ByteBuffer.allocate(64)) < 0;
    } catch (IOException reset) {
      return true;
    }
  }

  /** Bytes that are no request, and requests for the files of another. */
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
    return Attack.NOTHING_HELD;
  }

  private static Path socketOf(Target target) {
    return target.server().directory().resolve("data").resolve("sluice.sock");
  }

  /** Descriptors of this process that are open on run files of the server. */
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
          // Of the listing itself, for one.
        }
      }
    }
    return found;
  }

  private static void spoil(int descriptor) {
    // On disk, so that the system can forget the pages: then the server has to read.
    call("fsync", descriptor);
    call("posix_fadvise", descriptor, 0L, 0L, FADV_DONTNEED);
    call("posix_fadvise", descriptor, 0L, 0L, FADV_RANDOM);
    call("flock", descriptor, 2);
    int flags = call("fcntl", descriptor, F_GETFL);
    assertThat(call("fcntl", descriptor, F_SETFL, flags | O_DIRECT))
        .as("fcntl(F_SETFL, O_DIRECT): does the file system of java.io.tmpdir know direct I/O?")
        .isZero();
    assertThat(call("fcntl", descriptor, F_GETFL) & O_DIRECT).isEqualTo(O_DIRECT);
  }

  private static int call(String function, Object... arguments) {
    Function called = NativeLibrary.getInstance("c").getFunction(function);
    return called.invokeInt(arguments);
  }
}
