package io.sluice.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufInputStream;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.sluice.common.auth.Revocation;
import io.sluice.common.auth.TestAuthority;
import io.sluice.common.test.SettableClock;
import io.sluice.proto.Hello;
import io.sluice.proto.HelloChallenge;
import io.sluice.proto.HelloProof;
import io.sluice.proto.HelloReply;
import io.sluice.transport.protocol.ClientHandshake;
import io.sluice.transport.protocol.ConnectionGuard;
import io.sluice.transport.protocol.LocalSocketFrame;
import io.sluice.transport.protocol.ProofScope;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LocalHandshakeTest {
  private static final int FIRST_MS = 30_000;
  private static final long TOKEN_MS = 90_000;

  private final SettableClock clock = new SettableClock();
  private final TestAuthority authority = new TestAuthority(clock);
  private final ProofScope socket = ProofScope.ofSocket(new byte[] {1});
  private final List<String> applications = new ArrayList<>();
  private final List<String> denials = new ArrayList<>();
  private EmbeddedChannel channel;

  @BeforeEach
  void connect() {
    channel =
        connection(
            new ConnectionGuard(authority.verifier(), true, new SecureRandom(), Runnable::run));
  }

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
  }

  private EmbeddedChannel connection(ConnectionGuard guard) {
    LocalHandshake handshake =
        new LocalHandshake(
            guard,
            socket,
            hello -> HelloReply.newBuilder().setEpoch(7).build(),
            applications::add,
            denials::add);
    EmbeddedChannel opened = new EmbeddedChannel();
    opened.freezeTime();
    opened
        .pipeline()
        .addLast(
            new LocalFrameDecoder(handshake::expected, denials::add),
            handshake,
            new RequestDeadline(FIRST_MS, 2 * FIRST_MS, denials::add));
    return opened;
  }

  private ClientHandshake client() {
    return new ClientHandshake(
        "a~b", "test", Optional.of(authority.issue("a~b", "a", TOKEN_MS)), socket, "127.0.0.1");
  }

  private static ByteBuf frame(LocalSocketFrame type, MessageLite message) {
    byte[] bytes = message.toByteArray();
    return Unpooled.buffer()
        .writeIntLE(bytes.length)
        .writeByte(type.wireNumber())
        .writeBytes(bytes);
  }

  private <T> T sent(LocalSocketFrame type, Parser<T> parser) throws IOException {
    ByteBuf frame = channel.readOutbound();
    try {
      int length = frame.readIntLE();
      type.check(length, frame.readUnsignedByte());
      assertThat(frame.readableBytes()).isEqualTo(length);
      return parser.parseFrom(new ByteBufInputStream(frame));
    } finally {
      frame.release();
    }
  }

  private HelloProof proof(ClientHandshake client) throws IOException {
    channel.writeInbound(frame(LocalSocketFrame.HELLO, client.hello()));
    return client.prove(sent(LocalSocketFrame.CHALLENGE, HelloChallenge.parser()));
  }

  private void pass(long ms) {
    clock.pass(ms);
    channel.advanceTimeBy(ms, TimeUnit.MILLISECONDS);
    channel.runScheduledPendingTasks();
  }

  @Test
  void finishesWithTheProofsOfBothSides() throws Exception {
    ClientHandshake client = client();
    channel.writeInbound(frame(LocalSocketFrame.PROOF, proof(client)));
    assertThat(client.finish(sent(LocalSocketFrame.HELLO_REPLY, HelloReply.parser())).epoch())
        .isEqualTo(7);
    assertThat(applications).containsExactly("a~b");
    assertThat(denials).isEmpty();
  }

  @Test
  void finishesWithoutATokenIfNoneIsRequired() throws Exception {
    channel.finishAndReleaseAll();
    channel = connection(ConnectionGuard.OPEN);
    ClientHandshake client =
        new ClientHandshake("a~b", "test", Optional.empty(), socket, "127.0.0.1");
    channel.writeInbound(frame(LocalSocketFrame.HELLO, client.hello()));
    assertThat(client.finish(sent(LocalSocketFrame.HELLO_REPLY, HelloReply.parser())).epoch())
        .isEqualTo(7);
    assertThat(applications).containsExactly("a~b");
    pass(FIRST_MS - 1);
    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void refusesAProofOfAnEarlierConnection() throws Exception {
    ClientHandshake client = client();
    Hello recordedHello = client.hello();
    HelloProof recordedProof = proof(client);
    channel.writeInbound(frame(LocalSocketFrame.PROOF, recordedProof));
    channel.finishAndReleaseAll();

    connect();
    applications.clear();
    channel.writeInbound(frame(LocalSocketFrame.HELLO, recordedHello));
    sent(LocalSocketFrame.CHALLENGE, HelloChallenge.parser());
    channel.writeInbound(frame(LocalSocketFrame.PROOF, recordedProof));
    assertThat(channel.isOpen()).isFalse();
    assertThat(applications).isEmpty();
    assertThat(denials)
        .containsExactly(
            "handshake refused: the client did not prove to this server that it owns the key of its token");
  }

  @Test
  void refusesARequestBeforeTheHandshake() throws Exception {
    channel.writeInbound(
        Unpooled.buffer().writeIntLE(100).writeByte(LocalSocketFrame.RUN_FILES.wireNumber()));
    assertThat(channel.isOpen()).isFalse();
    assertThat(denials).containsExactly("message refused: frame has type 12, expected HELLO");
  }

  @Test
  void refusesALongMessageByItsHeader() {
    channel.writeInbound(Unpooled.buffer().writeIntLE(4097).writeByte(1));
    assertThat(channel.isOpen()).isFalse();
    assertThat(denials).containsExactly("message refused: HELLO has 4097 bytes, maximum 4096");
  }

  @Test
  void closesAConnectionWithoutARequestWhateverItSentOfTheHandshake() throws Exception {
    ClientHandshake client = client();
    pass(FIRST_MS / 2);
    HelloProof proof = proof(client);
    pass(FIRST_MS / 2 - 1);
    channel.writeInbound(frame(LocalSocketFrame.PROOF, proof));
    assertThat(applications).hasSize(1);
    assertThat(channel.isOpen()).isTrue();
    pass(1);
    assertThat(channel.isOpen()).isFalse();
    assertThat(denials).containsExactly("no request after a handshake within " + FIRST_MS + " ms");
  }

  @Test
  void closesTheConnectionWhenItsTokenExpires() throws Exception {
    channel.writeInbound(frame(LocalSocketFrame.PROOF, proof(client())));
    for (int i = 0; i < 3; i++) {
      pass(TOKEN_MS / 3 - 1);
      // Any request, which no handler answers.
      channel.writeInbound(frame(LocalSocketFrame.RUN_FILES, Hello.getDefaultInstance()));
    }
    pass(2);
    assertThat(channel.isOpen()).isTrue();
    pass(LocalTokenCheck.INTERVAL_MS);
    assertThat(channel.isOpen()).isFalse();
    assertThat(denials).isEmpty();
  }

  private boolean accepts() {
    // Any request, which no handler answers.
    channel.writeInbound(frame(LocalSocketFrame.RUN_FILES, Hello.getDefaultInstance()));
    return channel.isOpen();
  }

  @Test
  void refusesTheNextRequestWhenTheTokenHasExpired() throws Exception {
    channel.writeInbound(frame(LocalSocketFrame.PROOF, proof(client())));
    clock.pass(TOKEN_MS - 1);
    assertThat(accepts()).isTrue();
    clock.pass(1);

    assertThat(accepts()).isFalse();

    assertThat(denials).isEmpty();
  }

  @Test
  void refusesTheNextRequestWhenTheTokenIsRevoked() throws Exception {
    channel.writeInbound(frame(LocalSocketFrame.PROOF, proof(client())));
    assertThat(accepts()).isTrue();
    authority
        .revocations()
        .add(List.of(Revocation.ofUser("a", clock.millis(), clock.millis() + TOKEN_MS)));

    assertThat(accepts()).isFalse();

    assertThat(denials).singleElement().asString().contains("revoked the tokens of user \"a\"");
  }

  @Test
  void closesAnIdleConnectionWhenItsTokenIsRevoked() throws Exception {
    channel.writeInbound(frame(LocalSocketFrame.PROOF, proof(client())));
    authority
        .revocations()
        .add(List.of(Revocation.ofApplication("a~b", clock.millis(), clock.millis() + TOKEN_MS)));

    pass(LocalTokenCheck.INTERVAL_MS);

    assertThat(channel.isOpen()).isFalse();
  }
}
