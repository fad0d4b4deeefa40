package io.sluice.common.net;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.MessageLite;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.common.frame.FrameFormatException;
import io.sluice.common.frame.FrameHeader;
import io.sluice.common.frame.FrameHeads;
import io.sluice.common.frame.FrameLimits;
import io.sluice.common.frame.FrameType;
import io.sluice.proto.Open;
import io.sluice.proto.Push;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MessageReceiverTest {
  private static final FrameLimits LIMITS = new FrameLimits(8 << 10, 2 << 20);

  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
  private final List<byte[]> bodies = new ArrayList<>();
  private final List<Long> heads = new ArrayList<>();
  private final List<FrameFormatException> problems = new ArrayList<>();
  private boolean giveMemory = true;

  private final FrameSink sink =
      new FrameSink() {
        @Override
        public void onHead(FrameHeader header, ByteBuf frame) {
          heads.add(header.requestId());
          if (header.bodyLength() > 0 && giveMemory) {
            receiver.receiveBody(allocator.directBuffer(header.bodyLength(), header.bodyLength()));
          }
        }

        @Override
        public void onBody(FrameHeader header, ByteBuf body) {
          bodies.add(ByteBufUtil.getBytes(body));
          body.release();
        }

        @Override
        public void onMalformed(long requestId, FrameFormatException problem) {
          problems.add(problem);
        }
      };

  private final MessageReceiver receiver = new MessageReceiver(allocator, LIMITS, sink);

  @AfterEach
  void nothingIsHeld() {
    receiver.end();
    assertThat(allocator.metric().usedDirectMemory()).isZero();
  }

  private void message(byte[] bytes) throws IOException {
    receiver.onMessage(new ByteArrayInputStream(bytes));
  }

  private static byte[] frame(FrameType type, long requestId, MessageLite head, int bodyLength) {
    ByteBuf frame =
        FrameHeads.encode(UnpooledByteBufAllocator.DEFAULT, type, requestId, head, bodyLength);
    try {
      return ByteBufUtil.getBytes(frame);
    } finally {
      frame.release();
    }
  }

  @Test
  void putsFramesTogetherWhateverTheParts() throws IOException {
    Random random = new Random(3);
    List<byte[]> sent = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      byte[] body = new byte[1 + random.nextInt(LIMITS.maxBodyLength())];
      random.nextBytes(body);
      sent.add(body);
      message(frame(FrameType.PUSH, i, Push.getDefaultInstance(), body.length));
      for (int at = 0; at < body.length; ) {
        assertThat(receiver.wantsMessage()).isTrue();
        int part =
            Math.min(body.length - at, 1 + random.nextInt(DataExchange.MAX_BODY_PART_LENGTH));
        message(Arrays.copyOfRange(body, at, at + part));
        at += part;
      }
      message(frame(FrameType.OPEN, 1_000 + i, Open.getDefaultInstance(), 0));
    }
    assertThat(problems).isEmpty();
    assertThat(heads).hasSize(100);
    assertThat(bodies).hasSize(50);
    for (int i = 0; i < 50; i++) {
      assertThat(bodies.get(i)).isEqualTo(sent.get(i));
    }
  }

  @Test
  void wantsNoMessageThatHasNoPlace() throws IOException {
    giveMemory = false;
    message(frame(FrameType.PUSH, 1, Push.getDefaultInstance(), 10));
    assertThat(receiver.wantsMessage()).isFalse();

    receiver.receiveBody(allocator.directBuffer(10, 10));
    receiver.paused(true);
    assertThat(receiver.wantsMessage()).isTrue();
    message(new byte[10]);

    assertThat(bodies).hasSize(1);
    assertThat(receiver.wantsMessage()).isFalse();
    receiver.paused(false);
    assertThat(receiver.wantsMessage()).isTrue();
  }

  @Test
  void dropsBodyWithoutMemory() throws IOException {
    giveMemory = false;
    message(frame(FrameType.PUSH, 1, Push.getDefaultInstance(), 700_000));
    receiver.discardBody();
    message(new byte[500_000]);
    message(new byte[200_000]);
    assertThat(bodies).isEmpty();
    assertThat(allocator.metric().usedDirectMemory()).isZero();

    message(frame(FrameType.OPEN, 2, Open.getDefaultInstance(), 0));
    assertThat(heads).containsExactly(1L, 2L);
  }

  @Test
  void refusesPartsThatAreTooLongOrEmpty() throws IOException {
    byte[] tooLarge = new byte[DataExchange.MAX_BODY_PART_LENGTH + 1];
    for (byte[] part : List.of(new byte[0], new byte[11], tooLarge)) {
      MessageReceiver fresh = new MessageReceiver(allocator, LIMITS, sink);
      giveMemory = false;
      fresh.onMessage(
          new ByteArrayInputStream(
              frame(
                  FrameType.PUSH,
                  5,
                  Push.getDefaultInstance(),
                  part.length > 11 ? 1_000_000 : 10)));
      fresh.discardBody();
      fresh.onMessage(new ByteArrayInputStream(part));
      assertThat(fresh.wantsMessage()).isFalse();
    }
    assertThat(problems)
        .hasSize(3)
        .allSatisfy(problem -> assertThat(problem).hasMessageContaining("part of a body"));
  }

  @Test
  void refusesHeadThatDoesNotFillItsMessage() throws IOException {
    byte[] good = frame(FrameType.OPEN, 1, Open.newBuilder().addPartitions(1).build(), 0);
    for (byte[] bad :
        List.of(
            Arrays.copyOf(good, good.length + 1),
            Arrays.copyOf(good, good.length - 1),
            Arrays.copyOf(good, 20),
            new byte[0],
            new byte[LIMITS.maxHeadLength() + FrameHeader.LENGTH + 1])) {
      new MessageReceiver(allocator, LIMITS, sink).onMessage(new ByteArrayInputStream(bad));
    }
    assertThat(problems).hasSize(5);
    assertThat(heads).isEmpty();
  }

  @Test
  void survivesRandomMessages() throws IOException {
    Random random = new Random(4);
    for (int i = 0; i < 5_000; i++) {
      byte[] bytes = new byte[random.nextInt(300)];
      random.nextBytes(bytes);
      byte[] good = frame(FrameType.PUSH, 1, Push.getDefaultInstance(), 100);
      System.arraycopy(good, 0, bytes, 0, Math.min(bytes.length, random.nextInt(good.length + 1)));
      MessageReceiver fresh = new MessageReceiver(allocator, LIMITS, sink);
      giveMemory = false;
      fresh.onMessage(new ByteArrayInputStream(bytes));
      fresh.end();
      assertThat(allocator.metric().usedDirectMemory()).isZero();
    }
    assertThat(problems).isNotEmpty();
  }
}
