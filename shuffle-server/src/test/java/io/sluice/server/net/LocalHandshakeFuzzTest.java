package io.sluice.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.sluice.common.auth.TestAuthority;
import io.sluice.common.fuzz.DecoderFuzz;
import io.sluice.proto.HelloProof;
import io.sluice.proto.HelloReply;
import io.sluice.transport.protocol.ClientHandshake;
import io.sluice.transport.protocol.ConnectionGuard;
import io.sluice.transport.protocol.LocalSocketFrame;
import io.sluice.transport.protocol.ProofScope;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LocalHandshakeFuzzTest {
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
  private final TestAuthority authority = new TestAuthority();
  private final ConnectionGuard guard =
      new ConnectionGuard(authority.verifier(), true, new SecureRandom(), Runnable::run);

  private static byte[] frames(MessageLite hello, MessageLite proof) {
    return ByteBuffer.allocate(
            2 * LocalSocketFrame.HEADER_LENGTH
                + hello.getSerializedSize()
                + proof.getSerializedSize())
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(hello.getSerializedSize())
        .put((byte) LocalSocketFrame.HELLO.wireNumber())
        .put(hello.toByteArray())
        .putInt(proof.getSerializedSize())
        .put((byte) LocalSocketFrame.PROOF.wireNumber())
        .put(proof.toByteArray())
        .array();
  }

  @Test
  void neverFinishesWithoutTheProofOfThisConnection() {
    MessageLite hello =
        new ClientHandshake(
                "a~b",
                "test",
                Optional.of(authority.issue("a~b", "a", 3_600_000)),
                ProofScope.DATA,
                "127.0.0.1")
            .hello();
    MessageLite proof =
        HelloProof.newBuilder().setSignature(ByteString.copyFrom(new byte[72])).build();
    DecoderFuzz.of(frames(hello, proof))
        .run(
            input -> {
              List<String> denials = new ArrayList<>();
              List<String> finished = new ArrayList<>();
              LocalHandshake handshake =
                  new LocalHandshake(
                      guard,
                      ProofScope.ofSocket(new byte[] {1}),
                      greeting -> HelloReply.getDefaultInstance(),
                      finished::add,
                      denials::add);
              EmbeddedChannel channel = new EmbeddedChannel();
              channel.config().setAllocator(allocator);
              channel
                  .pipeline()
                  .addLast(new LocalFrameDecoder(handshake::expected, denials::add), handshake);
              int step = 1 + input.length % 97;
              for (int at = 0; at < input.length && channel.isActive(); at += step) {
                int length = Math.min(step, input.length - at);
                channel.writeInbound(allocator.buffer(length).writeBytes(input, at, length));
              }
              channel.checkException();
              assertThat(finished).isEmpty();
              assertThat(denials).hasSize(channel.isActive() ? 0 : 1);
              channel.finishAndReleaseAll();
              assertThat(usedBytes()).isZero();
            });
  }

  private long usedBytes() {
    return allocator.metric().usedDirectMemory() + allocator.metric().usedHeapMemory();
  }
}
