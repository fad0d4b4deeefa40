package io.sluice.client.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.Socket;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.common.net.LimitReached;
import io.sluice.proto.Error;
import io.sluice.proto.Hello;
import io.sluice.proto.HelloChallenge;
import io.sluice.proto.RunFileRequest;
import io.sluice.proto.Status;
import io.sluice.transport.protocol.ClientHandshake;
import io.sluice.transport.protocol.LocalSocketFrame;
import io.sluice.transport.protocol.ProofScope;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests against a scripted server, over a real socket. */
@Timeout(60)
class DescriptorConnectionTest {
  private static final long EPOCH = 7;

  @TempDir Path directory;

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final AtomicLong nanos = new AtomicLong();
  private DescriptorServer server;

  @BeforeEach
  void listen() throws Exception {
    Epoll.ensureAvailability();
    server = new DescriptorServer(directory.resolve("s"));
  }

  @AfterEach
  void close() throws Exception {
    threads.shutdownNow();
    assertThat(threads.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    server.close();
  }

  private long aSecondLater() {
    return nanos.getAndAdd(TimeUnit.SECONDS.toNanos(1));
  }

  private DescriptorConnection open(LongSupplier nanoTime) throws IOException {
    return DescriptorConnection.open(server.path(), handshake(), nanoTime);
  }

  private static ClientHandshake handshake() {
    return new ClientHandshake("app", "test", Optional.empty(), ProofScope.DATA, "127.0.0.1");
  }

  private static RunFileRequest requestFor(String name) {
    return RunFileRequest.newBuilder().setEpoch(EPOCH).addNames(name).build();
  }

  /** Replies to each request with a pipe that contains the requested name. */
  private Void serve(Socket accepted, int requests) throws IOException {
    for (int i = 0; i < requests; i++) {
      byte[] name = DescriptorServer.take(accepted).getNames(0).getBytes(StandardCharsets.UTF_8);
      FileDescriptor[] pipe = FileDescriptor.pipe();
      pipe[1].write(ByteBuffer.allocateDirect(name.length).put(name), 0, name.length);
      assertThat(accepted.sendFd(pipe[0].intValue())).isNotNegative();
      pipe[0].close();
      pipe[1].close();
    }
    return null;
  }

  private static String content(FileDescriptor received) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocateDirect(100);
    int length = received.read(bytes, 0, bytes.capacity());
    received.close();
    return StandardCharsets.UTF_8.decode(bytes.limit(length)).toString();
  }

  @Test
  void returnsTheRequestedFileToEachThread() throws Exception {
    int files = 40;
    try (DescriptorConnection connection = open(System::nanoTime)) {
      Future<Void> served = threads.submit(() -> serve(server.acceptGreeted(EPOCH), files));
      List<Future<String>> contents = new ArrayList<>();
      for (int i = 0; i < files; i++) {
        RunFileRequest request = requestFor("f" + i);
        contents.add(threads.submit(() -> content(connection.request(request))));
      }
      for (int i = 0; i < files; i++) {
        assertThat(contents.get(i).get()).isEqualTo("f" + i);
      }
      served.get();
      assertThat(connection.isOpen()).isTrue();
    }
  }

  @Test
  void failsIfNoServerListens() {
    assertThatThrownBy(
            () ->
                DescriptorConnection.open(
                    directory.resolve("none").toString(), handshake(), System::nanoTime))
        .isInstanceOf(IOException.class);
  }

  @Test
  void isClosedWhenTheServerEndsIt() throws Exception {
    DescriptorConnection connection = open(System::nanoTime);
    server.accept().close();
    assertThatThrownBy(() -> connection.request(requestFor("f"))).isInstanceOf(IOException.class);
    assertThat(connection.isOpen()).isFalse();
    assertThatThrownBy(() -> connection.request(requestFor("f"))).hasMessage("connection closed");
  }

  @Test
  void isClosedAfterAMalformedHandshake() throws Exception {
    DescriptorConnection connection = open(System::nanoTime);
    DescriptorServer.send(
        server.accept(), LocalSocketFrame.CHALLENGE, HelloChallenge.getDefaultInstance());
    assertThatThrownBy(() -> connection.request(requestFor("f")))
        .hasMessage("frame has type 10, expected HELLO_REPLY");
    assertThat(connection.isOpen()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void reportsTheLimitOfConnectionsThatTheServerHasReached(boolean closedBeforeHello)
      throws Exception {
    String reason = LimitReached.of("of user id 1000", 3, "rss.server.connections.per.peer.max");
    DescriptorConnection connection = open(System::nanoTime);
    Socket accepted = server.accept();
    DescriptorServer.send(
        accepted,
        LocalSocketFrame.ERROR,
        Error.newBuilder().setStatus(Status.BUSY).setMessage(reason).build());
    if (closedBeforeHello) {
      accepted.close();
    }
    assertThatThrownBy(() -> connection.request(requestFor("f")))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.BUSY))
        .hasMessageEndingWith("raise rss.server.connections.per.peer.max");
    assertThat(connection.isOpen()).isFalse();
  }

  @Test
  void remainsOpenAfterARequestForAnotherServer() throws Exception {
    try (DescriptorConnection connection = open(System::nanoTime)) {
      Future<Void> served = threads.submit(() -> serve(server.acceptGreeted(EPOCH), 1));
      RunFileRequest other = requestFor("f").toBuilder().setEpoch(8).build();
      assertThatThrownBy(() -> connection.request(other))
          .isInstanceOf(DescriptorConnection.OtherServerException.class)
          .hasMessageContaining("epoch=7 expectedEpoch=8");
      assertThat(content(connection.request(requestFor("f")))).isEqualTo("f");
      served.get();
    }
  }

  @Test
  void isClosedWhenTheServerSendsBytes() throws Exception {
    DescriptorConnection connection = open(this::aSecondLater);
    ByteBuffer bytes = ByteBuffer.allocateDirect(3);
    assertThat(server.accept().write(bytes, 0, 3)).isEqualTo(3);
    assertThatThrownBy(() -> connection.request(requestFor("f"))).isInstanceOf(IOException.class);
    assertThat(connection.isOpen()).isFalse();
  }

  @Test
  void closesAfterTheTimeout() throws Exception {
    DescriptorConnection connection = open(this::aSecondLater);
    assertThatThrownBy(() -> connection.request(requestFor("f")))
        .hasMessage("no reply within 5000 ms");
    assertThat(connection.isOpen()).isFalse();
  }

  @Test
  void closingEndsARequestThatWaits() throws Exception {
    DescriptorConnection connection = open(() -> 0);
    Socket accepted = server.accept();
    CompletableFuture<FileDescriptor> answer =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return connection.request(requestFor("f"));
              } catch (IOException e) {
                throw new IllegalStateException(e.getMessage());
              }
            },
            threads);
    DescriptorServer.take(accepted, LocalSocketFrame.HELLO, Hello.parser());
    connection.close();
    assertThatThrownBy(answer::join).hasMessageContaining("connection closed");
  }
}
