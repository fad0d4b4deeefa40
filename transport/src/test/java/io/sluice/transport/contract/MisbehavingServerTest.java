package io.sluice.transport.contract;

import static io.sluice.transport.contract.TransportEnds.direct;
import static io.sluice.transport.contract.TransportEnds.frame;
import static io.sluice.transport.contract.TransportEnds.get;
import static io.sluice.transport.contract.TransportEnds.pushOf;
import static io.sluice.transport.contract.TransportEnds.range;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.netty.buffer.Unpooled;
import io.sluice.common.auth.ApplicationCredentials;
import io.sluice.common.auth.OwnIdentity;
import io.sluice.common.auth.ProcessRole;
import io.sluice.common.auth.TestAuthority;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.common.net.IoMode;
import io.sluice.common.net.LeakCheck;
import io.sluice.common.tls.ClientTls;
import io.sluice.proto.Error;
import io.sluice.proto.Fetch;
import io.sluice.proto.FetchReply;
import io.sluice.proto.HelloChallenge;
import io.sluice.proto.HelloReply;
import io.sluice.proto.OpenReply;
import io.sluice.proto.PushAck;
import io.sluice.proto.ServerId;
import io.sluice.proto.Status;
import io.sluice.transport.client.ConnectionLostException;
import io.sluice.transport.client.DataConnection;
import io.sluice.transport.client.DataTransport;
import io.sluice.transport.client.NettyDataTransport;
import io.sluice.transport.client.TransportConfig;
import io.sluice.transport.protocol.FrameHeader;
import io.sluice.transport.protocol.FrameLimits;
import io.sluice.transport.protocol.FrameType;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Reaction of a client to a server that violates the protocol. */
@ExtendWith(LeakCheck.class)
@Timeout(60)
class MisbehavingServerTest {
  private static final FrameLimits LIMITS = new FrameLimits(64 << 10, 1 << 20);
  private static final byte[] HELLO_REPLY_FRAME =
      frame(
          FrameType.HELLO_REPLY,
          1,
          HelloReply.newBuilder().setVersion(1).setEpoch(3).setMaxBodyLength(1 << 20).build());
  private static final Fetch FETCH = Fetch.newBuilder().addRanges(range(1, 0, 50_000)).build();

  private static final TestAuthority AUTHORITY = new TestAuthority();

  private ServerSocket listener;
  private DataTransport client;
  private final ApplicationCredentials credentials = new ApplicationCredentials();

  @BeforeEach
  void start() throws IOException {
    listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    client = newClient(new TransportConfig(5_000, 20_000, IoMode.NIO, 1, LIMITS), credentials);
  }

  DataTransport newClient(TransportConfig config, ApplicationCredentials proving) {
    return new NettyDataTransport(config, proving, ClientTls.OFF, System::nanoTime);
  }

  @AfterEach
  void stop() throws IOException {
    client.close();
    listener.close();
  }

  /**
   * Accepts one connection, answers HELLO with {@code handshakeReply} and the next frame with
   * {@code answer}, and closes.
   */
  private CompletableFuture<Void> serve(byte[] handshakeReply, byte[]... answer) {
    return CompletableFuture.runAsync(
        () -> {
          try (Socket socket = listener.accept()) {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            skipFrame(in);
            socket.getOutputStream().write(handshakeReply);
            if (answer.length > 0) {
              skipFrame(in);
            }
            for (byte[] part : answer) {
              socket.getOutputStream().write(part);
            }
            socket.shutdownOutput();
            // Until the client has closed.
            in.readAllBytes();
          } catch (IOException e) {
            // The client closed the connection: depending on timing a reset, a broken pipe or a
            // closed socket. Only the client's exception is checked.
          }
        });
  }

  private static void skipFrame(DataInputStream in) throws IOException {
    byte[] header = new byte[FrameHeader.LENGTH];
    in.readFully(header);
    FrameHeader read = FrameHeader.read(Unpooled.wrappedBuffer(header), 0, FrameLimits.DEFAULT);
    in.readFully(new byte[read.headLength() + read.bodyLength()]);
  }

  private DataConnection connect() throws Exception {
    return get(
        client.connect(
            ServerId.newBuilder()
                .setName("faulty")
                .setHost("127.0.0.1")
                .setNettyPort(listener.getLocalPort())
                .build(),
            "app",
            "test"));
  }

  private void assertFetchLost(String why, byte[]... answer) throws Exception {
    CompletableFuture<Void> served = serve(HELLO_REPLY_FRAME, answer);
    DataConnection connection = connect();
    assertThatThrownBy(() -> get(connection.fetch(FETCH)))
        .isInstanceOf(ConnectionLostException.class)
        .hasMessageContaining("faulty")
        .hasMessageContaining(why);
    assertThat(connection.isOpen()).isFalse();
    served.get(60, TimeUnit.SECONDS);
  }

  @Test
  void refusesUnsupportedVersion() throws Exception {
    CompletableFuture<Void> served =
        serve(frame(FrameType.HELLO_REPLY, 1, HelloReply.newBuilder().setVersion(9).build()));

    assertThatThrownBy(this::connect)
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("version 9")
        .extracting(e -> ((SluiceException) e).code())
        .isEqualTo(StatusCode.BAD_VERSION);
    served.get(60, TimeUnit.SECONDS);
  }

  private void setToken() {
    credentials.update(AUTHORITY.issue("app", "alice", 3_600_000));
  }

  private void assertUnproven(String why) {
    assertThatThrownBy(this::connect)
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining(why)
        .extracting(e -> ((SluiceException) e).code())
        .isEqualTo(StatusCode.DENIED);
  }

  @Test
  void aServerThatDoesNotChallengeAClientWithATokenIsRefused() throws Exception {
    setToken();
    CompletableFuture<Void> served = serve(HELLO_REPLY_FRAME);

    assertUnproven(
        "faulty did not prove that it belongs to this cluster: it does not support authentication");
    served.get(60, TimeUnit.SECONDS);
  }

  @Test
  void aServerWithoutAValidProofIsRefused() throws Exception {
    setToken();
    // It has the certificate of a server, but not its key.
    OwnIdentity server = AUTHORITY.process(ProcessRole.SERVER);
    byte[] challenge =
        frame(
            FrameType.CHALLENGE,
            1,
            HelloChallenge.newBuilder()
                .setNonce(ByteString.copyFrom(new byte[32]))
                .setCertificate(server.identity().certificate().der())
                .build());
    for (byte[] proof : new byte[][] {{}, new byte[72]}) {
      CompletableFuture<Void> served =
          serve(
              challenge,
              frame(
                  FrameType.HELLO_REPLY,
                  2,
                  HelloReply.newBuilder()
                      .setVersion(1)
                      .setEpoch(3)
                      .setMaxBodyLength(1 << 20)
                      .setProof(ByteString.copyFrom(proof))
                      .build()));

      assertUnproven("did not prove that it owns the key of its certificate");
      served.get(60, TimeUnit.SECONDS);
    }
  }

  @Test
  void aClientWithASecretAndWithoutATokenSendsNoHello() throws Exception {
    credentials.require();
    CompletableFuture<byte[]> received =
        CompletableFuture.supplyAsync(
            () -> {
              try (Socket socket = listener.accept()) {
                return socket.getInputStream().readAllBytes();
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });

    assertUnproven("cannot connect without a token");
    assertThat(received.get(60, TimeUnit.SECONDS)).isEmpty();
  }

  @Test
  void refusesServerOfAnotherProtocol() throws Exception {
    CompletableFuture<Void> served =
        serve("HTTP/1.1 400 Bad Request with enough bytes for a header".getBytes(US_ASCII));

    assertThatThrownBy(this::connect).hasMessageContaining("magic");
    served.get(60, TimeUnit.SECONDS);
  }

  @Test
  void serverThatClosesBeforeHelloReplyIsLost() throws Exception {
    CompletableFuture<Void> served = serve(new byte[0]);

    assertThatThrownBy(this::connect)
        .isInstanceOf(ConnectionLostException.class)
        .hasMessageContaining("closed");
    served.get(60, TimeUnit.SECONDS);
  }

  @Test
  void refusesReplyOfAnotherType() throws Exception {
    assertFetchLost(
        "expected FETCH_REPLY", frame(FrameType.PUSH_ACK, 2, PushAck.getDefaultInstance()));
  }

  @Test
  void refusesReplyWithoutRequest() throws Exception {
    assertFetchLost(
        "no pending request has this id",
        frame(FrameType.OPEN_REPLY, 77, OpenReply.getDefaultInstance()));
  }

  @Test
  void allocatesNoMemoryForBodyOfUnexpectedLength() throws Exception {
    for (int length : new int[] {49_999, 50_001, 1 << 20}) {
      assertFetchLost(
          "expected 50000",
          frame(FrameType.FETCH_REPLY, 2, FetchReply.getDefaultInstance(), length),
          new byte[length]);
    }
    assertFetchLost(
        "limit of 1048576",
        frame(FrameType.FETCH_REPLY, 2, FetchReply.getDefaultInstance(), (1 << 20) + 1));
  }

  @Test
  void truncatedBodyIsLost() throws Exception {
    byte[] head = frame(FrameType.FETCH_REPLY, 2, FetchReply.getDefaultInstance(), 50_000);
    for (int length : new int[] {0, 1, 10_000, 49_999}) {
      assertFetchLost("closed", head, new byte[length]);
    }
  }

  @Test
  void everyFlippedByteOfHeaderOrHeadIsDetected() throws Exception {
    byte[] good =
        frame(FrameType.FETCH_REPLY, 2, FetchReply.newBuilder().setEpoch(3).build(), 50_000);
    for (int at = 0; at < good.length; at++) {
      byte[] bad = good.clone();
      bad[at] ^= 0x40;
      assertFetchLost("connection lost", bad, new byte[50_000]);
    }
  }

  @Test
  void reportsTheServersErrorForTheConnection() throws Exception {
    assertFetchLost(
        "network interface failed",
        frame(
            FrameType.ERROR,
            0,
            Error.newBuilder()
                .setStatus(Status.INTERNAL)
                .setMessage("network interface failed")
                .build()));
  }

  @Test
  void unknownStatusIsInternal() throws Exception {
    CompletableFuture<Void> served =
        serve(
            HELLO_REPLY_FRAME,
            frame(
                FrameType.ERROR,
                2,
                Error.newBuilder().setStatusValue(999).setMessage("news").build()));
    DataConnection connection = connect();

    assertThatThrownBy(() -> get(connection.push(pushOf(1), direct(new byte[10]))))
        .hasMessageContaining("news")
        .extracting(e -> ((SluiceException) e).code())
        .isEqualTo(StatusCode.INTERNAL);
    connection.close();
    served.get(60, TimeUnit.SECONDS);
  }
}
