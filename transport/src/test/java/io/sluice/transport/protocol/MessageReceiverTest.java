package io.sluice.transport.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.MessageLite;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.proto.Open;
import io.sluice.proto.Push;
import io.sluice.transport.protocol.FrameFormatException.Reason;
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
  private boolean giveHeadMemory = true;

  private final FrameSink sink =
      new FrameSink() {
        @Override
        public boolean onHeader(FrameHeader header) {
          return giveHeadMemory;
        }

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
  void everythingIsFreed() {
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
  void assemblesFramesFromAnyParts() throws IOException {
    Random random = new Random(3);
    List<byte[]> sent = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      byte[] body = new byte[1 + random.nextInt(LIMITS.maxBodyLength())];
      random.nextBytes(body);
      sent.add(body);
      message(frame(FrameType.PUSH, i, Push.getDefaultInstance(), body.length));
      for (int at = 0; at < body.length; ) {
        assertThat(receiver.wantsMessage()).isTrue();
        int part = Math.min(body.length - at, 1 + random.nextInt(DataExchange.MAX_MESSAGE_LENGTH));
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
  void wantsNoMessageWithoutMemory() throws IOException {
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
    for (int part = 0; part < 7; part++) {
      message(new byte[100_000]);
    }
    assertThat(bodies).isEmpty();
    assertThat(allocator.metric().usedDirectMemory()).isZero();

    message(frame(FrameType.OPEN, 2, Open.getDefaultInstance(), 0));
    assertThat(heads).containsExactly(1L, 2L);
  }

  @Test
  void refusesPartsThatAreTooLongOrEmpty() throws IOException {
    byte[] tooLarge = new byte[DataExchange.MAX_MESSAGE_LENGTH + 1];
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
  void assemblesAHeadFromSeveralMessages() throws IOException {
    byte[] frame = frame(FrameType.OPEN, 7, open(5_000), 0);
    for (int first = FrameHeader.LENGTH; first < frame.length; first += 777) {
      heads.clear();
      message(Arrays.copyOf(frame, first));
      receiver.paused(true);
      for (int at = first; at < frame.length; at += 1_500) {
        assertThat(receiver.receivingHead()).isTrue();
        assertThat(receiver.wantsMessage()).as("a head that has begun").isTrue();
        message(Arrays.copyOfRange(frame, at, Math.min(frame.length, at + 1_500)));
      }
      assertThat(heads).containsExactly(7L);
      assertThat(receiver.receivingHead()).isFalse();
      receiver.paused(false);
    }
    assertThat(problems).isEmpty();
  }

  @Test
  void receivesAHeadWhenRequested() throws IOException {
    byte[] frame = frame(FrameType.OPEN, 7, open(5_000), 0);
    giveHeadMemory = false;
    message(Arrays.copyOf(frame, 100));
    assertThat(receiver.wantsMessage()).isFalse();
    assertThat(receiver.receivingHead()).as("waits for the server").isFalse();

    receiver.receiveHead();
    assertThat(receiver.wantsMessage()).isTrue();
    message(Arrays.copyOfRange(frame, 100, frame.length));
    assertThat(heads).containsExactly(7L);

    message(frame);
    assertThat(heads).hasSize(1);
    receiver.receiveHead();
    assertThat(heads).hasSize(2);
  }

  @Test
  void refusesHeadAboveItsLength() throws IOException {
    byte[] good = frame(FrameType.OPEN, 1, open(1), 0);
    for (byte[] bad :
        List.of(Arrays.copyOf(good, good.length + 1), Arrays.copyOf(good, 20), new byte[0])) {
      new MessageReceiver(allocator, LIMITS, sink).onMessage(new ByteArrayInputStream(bad));
    }
    MessageReceiver second = new MessageReceiver(allocator, LIMITS, sink);
    second.onMessage(new ByteArrayInputStream(good, 0, good.length - 1));
    second.onMessage(new ByteArrayInputStream(new byte[2]));
    assertThat(problems).hasSize(4);
    assertThat(heads).isEmpty();
  }

  @Test
  void refusesALongMessageWithoutMemoryForIt() throws IOException {
    byte[] bytes = new byte[DataExchange.MAX_MESSAGE_LENGTH + 1];
    message(bytes);
    assertThat(problems)
        .singleElement()
        .satisfies(p -> assertThat(p).hasMessageContaining("131073"));
    assertThat(allocator.metric().usedDirectMemory()).isZero();
  }

  @Test
  void refusesAHeadByItsTypeBeforeItIsReceived() throws IOException {
    byte[] frame = frame(FrameType.PUSH, 9, open(2_000), 10);
    message(Arrays.copyOf(frame, FrameHeader.LENGTH));
    assertThat(problems)
        .singleElement()
        .satisfies(p -> assertThat(p.reason()).isEqualTo(Reason.TOO_LARGE));
  }

  private static Open open(int partitions) {
    Open.Builder open = Open.newBuilder();
    for (int partition = 0; partition < partitions; partition++) {
      open.addPartitions(partition % 100);
    }
    return open.build();
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
