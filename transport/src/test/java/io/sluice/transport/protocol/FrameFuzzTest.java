package io.sluice.transport.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.sluice.common.fuzz.DecoderFuzz;
import io.sluice.proto.Hello;
import io.sluice.proto.Open;
import io.sluice.proto.Push;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class FrameFuzzTest {
  private static final FrameLimits LIMITS = new FrameLimits(8 << 10, 16 << 10);
  private static final int HEAD_AND_BODY = FrameHeader.LENGTH + (8 << 10) + (16 << 10);

  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);

  private static byte[] golden() throws IOException {
    try (InputStream in = FrameFuzzTest.class.getResourceAsStream("/golden/frame-push-v1.bin")) {
      return in.readAllBytes();
    }
  }

  private static byte[] hello() {
    return FrameBytes.of(
        FrameType.HELLO,
        Hello.newBuilder().setApplication("a~b").setToken(ByteString.copyFromUtf8("t")).build());
  }

  private static byte[] open() {
    return FrameBytes.of(
        FrameType.OPEN, Open.newBuilder().addPartitions(7).setMaxWaitMs(9).build());
  }

  @Test
  void aHeadIsRefusedOrEncodesToTheSameMessage() throws Exception {
    DecoderFuzz.of(golden(), hello(), open())
        .refusing(FrameFormatException.class)
        .sealing(FrameBytes::sealed)
        .run(
            input -> {
              ByteBuf frame = Unpooled.wrappedBuffer(input);
              FrameHeader header = FrameHeader.read(frame, 0, LIMITS);
              int whole = FrameHeader.LENGTH + header.headLength();
              if (whole > input.length) {
                return;
              }
              header.verifyHead(frame, 0);
              Push push =
                  FrameHeads.parse(
                      Push.parser(), FrameType.PUSH, frame, FrameHeader.LENGTH, whole - 32);
              FrameHeads.parse(Open.parser(), FrameType.OPEN, frame, 32, whole - 32);
              FrameHeads.parse(Hello.parser(), FrameType.HELLO, frame, 32, whole - 32);
              assertThat(Push.parseFrom(push.toByteArray())).isEqualTo(push);
            });
  }

  /** Receives or discards bodies like a server, one at a time. */
  private static final class Sink implements ChannelFrameSink {
    private final UnpooledByteBufAllocator allocator;
    private FrameReceiver receiver;
    private int problems;
    private int closed;

    Sink(UnpooledByteBufAllocator allocator) {
      this.allocator = allocator;
    }

    @Override
    public void onHead(FrameHeader header, ByteBuf frame) {
      assertThat(problems).isZero();
      assertThat(frame.readableBytes()).isEqualTo(FrameHeader.LENGTH + header.headLength());
      if (header.bodyLength() > 0 && header.requestId() % 2 == 0) {
        receiver.receiveBody(allocator.directBuffer(header.bodyLength(), header.bodyLength()));
      } else if (header.bodyLength() > 0) {
        receiver.discardBody();
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

    @Override
    public void onReadComplete() {}

    @Override
    public void onClosed(Throwable causeOrNull) {
      assertThat(causeOrNull).isNull();
      closed++;
    }
  }

  @Test
  void aConnectionUsesBoundedMemoryAndFreesIt() throws Exception {
    byte[] push = golden();
    DecoderFuzz.of(push, twice(push), twice(hello()), open())
        .sealing(FrameBytes::sealed)
        .allocating(8 << 20, 1_024)
        .run(
            input -> {
              Sink sink = new Sink(allocator);
              sink.receiver = new FrameReceiver(LIMITS, sink);
              EmbeddedChannel channel = new EmbeddedChannel();
              channel.config().setAllocator(allocator);
              channel.pipeline().addLast(sink.receiver);
              int step = 1 + input.length % 97;
              for (int at = 0; at < input.length; at += step) {
                int length = Math.min(step, input.length - at);
                channel
                    .pipeline()
                    .fireChannelRead(allocator.buffer(length).writeBytes(input, at, length));
                // A head's buffer grows by doubling.
                assertThat(usedMemory()).isLessThanOrEqualTo(3L * HEAD_AND_BODY);
              }
              channel.checkException();
              channel.close().syncUninterruptibly();
              assertThat(sink.closed).isEqualTo(1);
              assertThat(usedMemory()).isZero();
            });
  }

  @Test
  void messagesFreeTheirMemory() throws Exception {
    DecoderFuzz.of(golden(), hello(), open())
        .sealing(FrameBytes::sealed)
        .run(
            input -> {
              MessageReceiver[] receiver = new MessageReceiver[1];
              int[] problems = new int[1];
              receiver[0] =
                  new MessageReceiver(
                      allocator,
                      LIMITS,
                      new FrameSink() {
                        @Override
                        public void onHead(FrameHeader header, ByteBuf frame) {
                          int length = header.bodyLength();
                          if (length > 0 && header.requestId() % 2 == 0) {
                            receiver[0].receiveBody(allocator.directBuffer(length, length));
                          } else if (length > 0) {
                            receiver[0].discardBody();
                          }
                        }

                        @Override
                        public void onBody(FrameHeader header, ByteBuf body) {
                          assertThat(ByteBufUtil.getBytes(body)).hasSize(header.bodyLength());
                          body.release();
                        }

                        @Override
                        public void onMalformed(long requestId, FrameFormatException problem) {
                          problems[0]++;
                        }
                      });
              int head = FrameBytes.headEnd(input);
              receiver[0].onMessage(new ByteArrayInputStream(input, 0, head));
              receiver[0].onMessage(
                  new ByteArrayInputStream(Arrays.copyOfRange(input, head, input.length)));
              receiver[0].end();
              assertThat(problems[0]).isLessThanOrEqualTo(1);
              assertThat(usedMemory()).isZero();
            });
  }

  private long usedMemory() {
    return allocator.metric().usedDirectMemory() + allocator.metric().usedHeapMemory();
  }

  private static byte[] twice(byte[] frame) {
    byte[] both = Arrays.copyOf(frame, 2 * frame.length);
    System.arraycopy(frame, 0, both, frame.length, frame.length);
    return both;
  }
}
