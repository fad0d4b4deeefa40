package io.sluice.client.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.Socket;
import io.sluice.common.auth.ApplicationCredentials;
import io.sluice.common.auth.ProcessRole;
import io.sluice.common.auth.TestAuthority;
import io.sluice.common.file.SocketIdentity;
import io.sluice.common.tls.ClientTls;
import io.sluice.proto.Hello;
import io.sluice.proto.HelloChallenge;
import io.sluice.proto.HelloProof;
import io.sluice.proto.HelloReply;
import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleId;
import io.sluice.transport.protocol.ConnectionGuard;
import io.sluice.transport.protocol.LocalSocketFrame;
import io.sluice.transport.protocol.ProofScope;
import io.sluice.transport.protocol.ProtocolVersion;
import io.sluice.transport.protocol.ServerHandshake;
import java.io.EOFException;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests against a scripted server, over a real socket. */
@Timeout(60)
class LocalRunFilesTest {
  private static final String NAME = "0000000000000001000000000000000f.run";

  @TempDir Path directory;

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final ApplicationCredentials credentials = new ApplicationCredentials();
  private final AtomicLong nanos = new AtomicLong();
  private final LocalRunFiles files =
      new LocalRunFiles(threads, credentials, ClientTls.OFF, nanos::get);
  private DescriptorServer server;

  @BeforeEach
  void listen() throws Exception {
    Epoll.ensureAvailability();
    server = new DescriptorServer(directory.resolve("s"));
    ByteBuffer header = ByteBuffer.allocate(30).order(ByteOrder.LITTLE_ENDIAN);
    header.put(new byte[] {'S', 'L', 'R', 'N'}).putInt(0).putLong(1).putLong(15);
    Files.write(directory.resolve(NAME), header.array());
  }

  @AfterEach
  void close() throws Exception {
    files.close();
    threads.shutdownNow();
    assertThat(threads.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    server.close();
  }

  private RunFileSource source(long epoch) {
    return new RunFileSource(
        ServerId.newBuilder().setName("server").setHost("127.0.0.1").build(),
        server.path(),
        ShuffleId.newBuilder().setApplication("user~app").build(),
        epoch);
  }

  private void answer(Socket accepted) throws Exception {
    try (FileInputStream file =
        new FileInputStream(
            directory.resolve(DescriptorServer.take(accepted).getNames(0)).toFile())) {
      Field number = FileDescriptor.class.getDeclaredField("fd");
      number.setAccessible(true);
      assertThat(accepted.sendFd(number.getInt(file.getFD()))).isNotNegative();
    }
  }

  private TestAuthority useCredential() {
    TestAuthority authority = new TestAuthority();
    credentials.update(authority.issue("user~app", "user", 60_000));
    return authority;
  }

  /** A handshake of a server with authentication. */
  private static void greet(Socket accepted, ServerHandshake handshake, TestAuthority authority)
      throws Exception {
    ConnectionGuard guard =
        new ConnectionGuard(authority.verifier(), true, new SecureRandom(), Runnable::run);
    DescriptorServer.send(
        accepted,
        LocalSocketFrame.CHALLENGE,
        handshake
            .onHello(
                DescriptorServer.take(accepted, LocalSocketFrame.HELLO, Hello.parser()),
                guard,
                hello -> HelloReply.newBuilder().setEpoch(1).build())
            .orElseThrow());
    HelloProof proof = DescriptorServer.take(accepted, LocalSocketFrame.PROOF, HelloProof.parser());
    handshake.onProved(handshake.onProof(proof).call());
    DescriptorServer.send(accepted, LocalSocketFrame.HELLO_REPLY, handshake.reply());
  }

  private static void assertWhole(CompletableFuture<RunFileInput> opening) throws IOException {
    ByteBuf bytes = Unpooled.buffer();
    try (RunFileInput input = opening.join()) {
      input.read(0, bytes, 30);
    }
    assertThat(bytes.readableBytes()).isEqualTo(30);
  }

  @Test
  void opensFilesOverOneConnection() throws Exception {
    RunFileSource source = source(1);
    assertThat(files.mayOpen(source)).isTrue();
    CompletableFuture<RunFileInput> first = files.open(source, NAME);
    Socket accepted = server.acceptGreeted(1);
    answer(accepted);
    assertWhole(first);

    CompletableFuture<RunFileInput> second = files.open(source, NAME);
    answer(accepted);
    assertWhole(second);
  }

  @Test
  void reconnectsAfterARestartOfTheServer() throws Exception {
    CompletableFuture<RunFileInput> before = files.open(source(1), NAME);
    Socket accepted = server.acceptGreeted(1);
    answer(accepted);
    assertWhole(before);
    accepted.close();

    CompletableFuture<RunFileInput> after = files.open(source(2), NAME);
    answer(server.acceptGreeted(2));
    assertWhole(after);
    assertThat(files.mayOpen(source(2))).isTrue();
  }

  @Test
  void retriesAServerThatPassesNoDescriptorAfterAMinute() throws Exception {
    RunFileSource source = source(1);
    assertThat(files.mayOpen(source)).isTrue();
    CompletableFuture<RunFileInput> opening = files.open(source, NAME);
    server.accept().close();
    assertThatThrownBy(opening::join).hasRootCauseInstanceOf(IOException.class);
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(LocalRunFiles.RETRY_MS) - 1);
    assertThat(files.mayOpen(source)).isFalse();
    assertThat(files.mayOpen(source(2))).as("after a restart of the server").isTrue();

    nanos.addAndGet(1);
    assertThat(files.mayOpen(source)).isTrue();
    CompletableFuture<RunFileInput> again = files.open(source, NAME);
    answer(server.acceptGreeted(1));
    assertWhole(again);
  }

  @Test
  void doesNotRetryASocketOfAnotherServer() throws Exception {
    CompletableFuture<RunFileInput> mine = files.open(source(1), NAME);
    Socket accepted = server.acceptGreeted(1);
    answer(accepted);
    assertWhole(mine);

    // A server of another host, whose socket has the same path.
    RunFileSource other = source(9);
    assertThat(files.mayOpen(other)).isTrue();
    assertThatThrownBy(files.open(other, NAME)::join)
        .hasMessageContaining("the socket belongs to another server");
    assertThat(files.mayOpen(other)).isFalse();

    CompletableFuture<RunFileInput> again = files.open(source(1), NAME);
    answer(accepted);
    assertWhole(again);
  }

  @Test
  void doesNotUseASocketThatOthersCanReplace() throws Exception {
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
    assertThat(files.mayOpen(source(1))).isFalse();
    assertThatThrownBy(files.open(source(1), NAME)::join)
        .hasMessageContaining(directory + " is writable by every user of this host");
    assertThat(server.hasConnection()).isFalse();
  }

  @Test
  void proofsAndRequestsOfAConnectionAreForItsSocket() throws Exception {
    TestAuthority authority = useCredential();
    CompletableFuture<RunFileInput> opening = files.open(source(1), NAME);
    Socket accepted = server.accept();
    ServerHandshake handshake =
        new ServerHandshake(ProofScope.ofSocket(SocketIdentity.of(server.path())));
    greet(accepted, handshake, authority);
    assertThat(handshake.hello().getToken()).isEqualTo(credentials.newest().orElseThrow().token());
    answer(accepted);
    assertWhole(opening);
  }

  @Test
  void aHandshakeCannotBeForwardedToTheDataPort() throws Exception {
    TestAuthority authority = useCredential();
    CompletableFuture<RunFileInput> opening = files.open(source(1), NAME);
    Socket accepted = server.accept();
    assertThatThrownBy(() -> greet(accepted, new ServerHandshake(ProofScope.DATA), authority))
        .hasMessageContaining("did not prove to this server");
    accepted.close();
    assertThatThrownBy(opening::join).hasRootCauseInstanceOf(IOException.class);
  }

  @Test
  void requestsNothingFromAServerThatDoesNotProveItsIdentity() throws Exception {
    // It has the certificate of a server, but not its key.
    ByteString certificate =
        useCredential().process(ProcessRole.SERVER).identity().certificate().der();
    CompletableFuture<RunFileInput> opening = files.open(source(1), NAME);
    Socket accepted = server.accept();
    DescriptorServer.take(accepted, LocalSocketFrame.HELLO, Hello.parser());
    DescriptorServer.send(
        accepted,
        LocalSocketFrame.CHALLENGE,
        HelloChallenge.newBuilder()
            .setNonce(ByteString.copyFrom(new byte[32]))
            .setCertificate(certificate)
            .build());
    DescriptorServer.take(accepted, LocalSocketFrame.PROOF, HelloProof.parser());
    DescriptorServer.send(
        accepted,
        LocalSocketFrame.HELLO_REPLY,
        HelloReply.newBuilder()
            .setVersion(ProtocolVersion.CURRENT)
            .setEpoch(1)
            .setProof(ByteString.copyFrom(new byte[32]))
            .build());
    assertThatThrownBy(opening::join)
        .hasMessageContaining("the server did not prove that it owns the key of its certificate");
    assertThat(files.mayOpen(source(1))).isFalse();
  }

  @Test
  void requestsNothingFromAServerWithoutAChallenge() throws Exception {
    useCredential();
    CompletableFuture<RunFileInput> opening = files.open(source(1), NAME);
    server.acceptGreeted(1);
    assertThatThrownBy(opening::join).hasMessageContaining("frame has type 2, expected CHALLENGE");
    assertThat(files.mayOpen(source(1))).isFalse();
  }

  @Test
  void readsAFileThatTheServerHasTruncatedAsAbsent() throws Exception {
    CompletableFuture<RunFileInput> opening = files.open(source(1), NAME);
    answer(server.acceptGreeted(1));
    try (RunFileInput input = opening.join();
        FileChannel deleted = FileChannel.open(directory.resolve(NAME), StandardOpenOption.WRITE)) {
      deleted.truncate(0);
      ByteBuf bytes = Unpooled.buffer();
      assertThatThrownBy(() -> input.read(0, bytes, 30)).isInstanceOf(EOFException.class);
    }
    assertThat(files.mayOpen(source(1))).as("other files").isTrue();
  }

  @Test
  void rejectsAnotherFileThanTheRequestedOne() throws Exception {
    String other = "0000000000000001000000000000000e.run";
    Files.copy(directory.resolve(NAME), directory.resolve(other));
    CompletableFuture<RunFileInput> opening = files.open(source(1), other);
    answer(server.acceptGreeted(1));
    assertThatThrownBy(opening::join)
        .hasMessageContaining("the server returned another run file, found=" + NAME);
  }
}
