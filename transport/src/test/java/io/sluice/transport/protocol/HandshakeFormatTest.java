package io.sluice.transport.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.common.auth.GoldenCluster;
import io.sluice.common.auth.ProcessRole;
import io.sluice.common.auth.Revocations;
import io.sluice.common.auth.TokenVerifier;
import io.sluice.common.test.CountingRandom;
import io.sluice.common.test.SettableClock;
import io.sluice.proto.Hello;
import io.sluice.proto.HelloChallenge;
import io.sluice.proto.HelloProof;
import io.sluice.proto.HelloReply;
import io.sluice.transport.protocol.ConnectionGuard.Challenged;
import java.io.InputStream;
import org.junit.jupiter.api.Test;

/**
 * The golden handshake: both sides write the same frames, up to signatures, and accept the
 * signatures that the other side made with an earlier version.
 */
class HandshakeFormatTest {
  private static final HelloReply REPLY =
      HelloReply.newBuilder().setVersion(1).setEpoch(1_795_000_000_001L).build();

  private final SettableClock clock = new SettableClock();

  /** The frames of the golden file, in their order. */
  private record Frames(Hello hello, HelloChallenge challenge, HelloProof proof, HelloReply reply) {
    static Frames golden() throws Exception {
      byte[] bytes;
      try (InputStream in =
          HandshakeFormatTest.class.getResourceAsStream("/golden/handshake-v2.bin")) {
        bytes = in.readAllBytes();
      }
      ByteBuf in = Unpooled.wrappedBuffer(bytes);
      Frames frames =
          new Frames(
              (Hello) next(in, FrameType.HELLO, Hello.getDefaultInstance()),
              (HelloChallenge) next(in, FrameType.CHALLENGE, HelloChallenge.getDefaultInstance()),
              (HelloProof) next(in, FrameType.PROOF, HelloProof.getDefaultInstance()),
              (HelloReply) next(in, FrameType.HELLO_REPLY, HelloReply.getDefaultInstance()));
      assertThat(in.isReadable()).isFalse();
      assertThat(frames.hex()).isEqualTo(ByteBufUtil.hexDump(bytes));
      return frames;
    }

    private static Message next(ByteBuf in, FrameType type, Message kind) throws Exception {
      int at = in.readerIndex();
      FrameHeader header = FrameHeader.read(in, at, FrameLimits.DEFAULT);
      header.verifyHead(in, at);
      assertThat(header.type()).isEqualTo(type);
      in.skipBytes(FrameHeader.LENGTH + header.headLength());
      return FrameHeads.parse(
          kind.getParserForType(), type, in, at + FrameHeader.LENGTH, header.headLength());
    }

    String hex() {
      return frame(FrameType.HELLO, hello)
          + frame(FrameType.CHALLENGE, challenge)
          + frame(FrameType.PROOF, proof)
          + frame(FrameType.HELLO_REPLY, reply);
    }

    private static String frame(FrameType type, Message head) {
      ByteBuf frame = FrameHeads.encode(UnpooledByteBufAllocator.DEFAULT, type, 1, head, 0);
      try {
        return ByteBufUtil.hexDump(frame);
      } finally {
        frame.release();
      }
    }
  }

  private ConnectionProofs client() throws Exception {
    return new ConnectionProofs(
        GoldenCluster.credential(),
        ProofScope.DATA,
        GoldenCluster.SERVER_HOST,
        new CountingRandom(),
        clock);
  }

  private static Hello hello(ConnectionProofs client) {
    Hello.Builder hello =
        Hello.newBuilder()
            .setMinVersion(1)
            .setMaxVersion(1)
            .setApplication("alice~app-202")
            .setClient("executor 7");
    client.introduce(hello);
    return hello.build();
  }

  private ConnectionGuard server() {
    return new ConnectionGuard(
        new TokenVerifier(GoldenCluster.process(ProcessRole.SERVER), new Revocations(clock)),
        true,
        new CountingRandom(),
        Runnable::run);
  }

  @Test
  void theClientWritesAndAcceptsTheGoldenFrames() throws Exception {
    Frames golden = Frames.golden();
    ConnectionProofs client = client();

    assertThat(hello(client)).isEqualTo(golden.hello());
    HelloProof proof = client.answer(golden.challenge());
    client.verify(golden.reply());

    // Another signature of the same bytes, which the server accepts as well.
    HelloReply reply = server().challenge(golden.hello()).orElseThrow().finish(proof, REPLY);
    assertThat(withoutProof(reply)).isEqualTo(withoutProof(golden.reply()));
  }

  @Test
  void theServerWritesAndAcceptsTheGoldenFrames() throws Exception {
    Frames golden = Frames.golden();

    Challenged challenged = server().challenge(golden.hello()).orElseThrow();
    assertThat(challenged.challenge()).isEqualTo(golden.challenge());
    HelloReply reply = challenged.finish(golden.proof(), REPLY);

    assertThat(withoutProof(reply)).isEqualTo(withoutProof(golden.reply()));
  }

  private static HelloReply withoutProof(HelloReply reply) {
    assertThat(reply.getProof().size()).isBetween(60, 72);
    return reply.toBuilder().clearProof().build();
  }
}
