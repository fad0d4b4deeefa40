package io.sluice.transport.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.common.fuzz.DecoderFuzz;
import io.sluice.proto.HelloReply;
import io.sluice.proto.OpenReply;
import io.sluice.transport.protocol.FrameBytes;
import io.sluice.transport.protocol.FrameFormatException;
import io.sluice.transport.protocol.FrameHeader;
import io.sluice.transport.protocol.FrameLimits;
import io.sluice.transport.protocol.FrameSink;
import io.sluice.transport.protocol.FrameType;
import java.io.ByteArrayInputStream;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import org.junit.jupiter.api.Test;

class SocketFrameReaderFuzzTest {
  private static final FrameLimits LIMITS = new FrameLimits(8 << 10, 16 << 10);

  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);

  private final class Sink implements FrameSink {
    private SocketFrameReader reader;
    private int problems;

    @Override
    public void onHead(FrameHeader header, ByteBuf frame) {
      assertThat(problems).isZero();
      assertThat(frame.readableBytes()).isEqualTo(FrameHeader.LENGTH + header.headLength());
      int length = header.bodyLength();
      if (length > 0) {
        reader.receiveBody(allocator.directBuffer(length, length));
      }
    }

    @Override
    public void onBody(FrameHeader header, ByteBuf body) {
      assertThat(body.readableBytes()).isEqualTo(header.bodyLength());
      body.release();
    }

    @Override
    public void onMalformed(long requestId, FrameFormatException problem) {
      problems++;
    }
  }

  @Test
  void freesAllMemoryAfterArbitraryBytes() throws Exception {
    byte[] hello =
        FrameBytes.of(FrameType.HELLO_REPLY, HelloReply.newBuilder().setEpoch(9).build());
    byte[] open =
        FrameBytes.of(
            FrameType.OPEN_REPLY,
            OpenReply.newBuilder().addAttemptSets(ByteString.copyFromUtf8("x")).build());
    byte[] body = new byte[hello.length + 5_000];
    System.arraycopy(hello, 0, body, 0, hello.length);
    body[5] = (byte) FrameType.FETCH_REPLY.wireNumber();
    body[20] = (byte) (5_000 & 0xff);
    body[21] = (byte) (5_000 >> 8);
    DecoderFuzz.of(hello, open, FrameBytes.sealed(body))
        .sealing(FrameBytes::sealed)
        .run(
            input -> {
              Sink sink = new Sink();
              try (ReadableByteChannel channel =
                  Channels.newChannel(new ByteArrayInputStream(input))) {
                sink.reader = new SocketFrameReader(channel, allocator, LIMITS, sink);
                boolean more = true;
                while (more && sink.problems == 0) {
                  more = sink.reader.read();
                  assertThat(usedMemory()).isLessThanOrEqualTo(64 << 10);
                }
              }
              sink.reader.end();
              assertThat(sink.problems).isLessThanOrEqualTo(1);
              assertThat(usedMemory()).isZero();
            });
  }

  private long usedMemory() {
    return allocator.metric().usedDirectMemory() + allocator.metric().usedHeapMemory();
  }
}
