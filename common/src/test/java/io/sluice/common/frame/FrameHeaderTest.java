package io.sluice.common.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.common.error.StatusCode;
import io.sluice.common.frame.FrameFormatException.Reason;
import io.sluice.proto.Push;
import io.sluice.proto.PushAck;
import io.sluice.proto.ShuffleId;
import java.io.IOException;
import java.io.InputStream;
import java.util.HexFormat;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class FrameHeaderTest {
  private static final FrameLimits LIMITS = new FrameLimits(4096, 1 << 20);

  private static final Push PUSH =
      Push.newBuilder()
          .setShuffle(ShuffleId.newBuilder().setApplication("app-20261121-0001").setShuffle(7))
          .setEpoch(1_795_000_000_000L)
          .build();

  @Test
  void writesTheGoldenBytes() throws IOException {
    byte[] golden;
    try (InputStream in = getClass().getResourceAsStream("/golden/frame-push-v1.bin")) {
      golden = in.readAllBytes();
    }
    ByteBuf frame = push(59);
    assertThat(ByteBufUtil.hexDump(frame)).isEqualTo(HexFormat.of().formatHex(golden));
    ByteBuf read = Unpooled.wrappedBuffer(golden);
    FrameHeader header = readVerified(read);
    assertThat(header.type()).isEqualTo(FrameType.PUSH);
    assertThat(header.requestId()).isEqualTo(42);
    assertThat(header.bodyLength()).isEqualTo(59);
    assertThat(
            FrameHeads.parse(
                Push.parser(), header.type(), read, FrameHeader.LENGTH, header.headLength()))
        .isEqualTo(PUSH);
  }

  @Test
  void refusesEveryFlippedBitOfHeaderAndHead() {
    int bits = push(59).readableBytes() * 8;
    for (int bit = 0; bit < bits; bit++) {
      ByteBuf frame = push(59);
      frame.setByte(bit / 8, frame.getByte(bit / 8) ^ (1 << (bit % 8)));
      assertThatThrownBy(() -> readVerified(frame))
          .as("bit %d", bit)
          .isInstanceOf(FrameFormatException.class);
    }
  }

  @Test
  void refusesEveryTruncatedHeader() {
    ByteBuf frame = push(59);
    for (int end = 0; end < FrameHeader.LENGTH; end++) {
      ByteBuf cut = frame.copy(0, end);
      assertThat(
              catchThrowableOfType(
                      FrameFormatException.class, () -> FrameHeader.read(cut, 0, LIMITS))
                  .reason())
          .isEqualTo(Reason.TRUNCATED);
    }
  }

  @Test
  void refusesLengthsBeyondTheLimitsBeforeAnythingIsAllocated() {
    ByteBuf body = push(LIMITS.maxBodyLength() + 1);
    FrameFormatException tooLarge =
        catchThrowableOfType(FrameFormatException.class, () -> FrameHeader.read(body, 0, LIMITS));
    assertThat(tooLarge.reason()).isEqualTo(Reason.TOO_LARGE);
    assertThat(tooLarge.code()).isEqualTo(StatusCode.FRAME_TOO_LARGE);
    assertThat(tooLarge).hasMessageContaining("limit " + LIMITS.maxBodyLength());

    ByteBuf head = push(0);
    head.setIntLE(FrameHeader.HEAD_LENGTH_AT, LIMITS.maxHeadLength() + 1);
    assertThat(
            catchThrowableOfType(
                    FrameFormatException.class, () -> FrameHeader.read(head, 0, LIMITS))
                .reason())
        .isEqualTo(Reason.TOO_LARGE);
    head.setIntLE(FrameHeader.HEAD_LENGTH_AT, -1);
    assertThatThrownBy(() -> FrameHeader.read(head, 0, LIMITS))
        .isInstanceOf(FrameFormatException.class);
  }

  @Test
  void refusesABodyWhereNoneBelongs() {
    ByteBuf frame =
        FrameHeads.encode(
            UnpooledByteBufAllocator.DEFAULT,
            FrameType.PUSH_ACK,
            1,
            PushAck.getDefaultInstance(),
            1);
    assertThatThrownBy(() -> FrameHeader.read(frame, 0, LIMITS))
        .hasMessageContaining("PUSH_ACK")
        .hasMessageContaining("expected none");
    frame.release();
  }

  @Test
  void randomBytesAreNeverAFrameAndNeverAnotherException() {
    SplittableRandom random = new SplittableRandom(7);
    byte[] bytes = new byte[FrameHeader.LENGTH];
    for (int round = 0; round < 20_000; round++) {
      random.nextBytes(bytes);
      ByteBuf buffer = Unpooled.wrappedBuffer(bytes);
      if (round % 2 == 0) {
        buffer.setIntLE(0, FrameHeader.MAGIC).setByte(FrameHeader.VERSION_AT, 1);
        buffer.setShortLE(FrameHeader.FLAGS_AT, 0).setIntLE(FrameHeader.RESERVED_AT, 0);
      }
      try {
        FrameHeader header = FrameHeader.read(buffer, 0, LIMITS);
        assertThat(header.headLength()).isBetween(0, LIMITS.maxHeadLength());
        assertThat(header.bodyLength()).isBetween(0, LIMITS.maxBodyLength());
      } catch (FrameFormatException expected) {
        assertThat(expected.getMessage()).startsWith("frame");
      }
    }
  }

  @Test
  void aHeadThatIsNotTheMessageIsNamed() {
    ByteBuf nonsense = Unpooled.wrappedBuffer(new byte[] {(byte) 0xFF, (byte) 0xFF, 1});
    assertThatThrownBy(() -> FrameHeads.parse(Push.parser(), FrameType.PUSH, nonsense, 0, 3))
        .isInstanceOf(FrameFormatException.class)
        .hasMessageContaining("PUSH");
  }

  private static ByteBuf push(int bodyLength) {
    ByteBuf encoded =
        FrameHeads.encode(UnpooledByteBufAllocator.DEFAULT, FrameType.PUSH, 42, PUSH, bodyLength);
    ByteBuf heap = Unpooled.copiedBuffer(encoded);
    encoded.release();
    return heap;
  }

  private static FrameHeader readVerified(ByteBuf frame) throws FrameFormatException {
    FrameHeader header = FrameHeader.read(frame, 0, LIMITS);
    if (frame.writerIndex() < FrameHeader.LENGTH + header.headLength()) {
      throw new FrameFormatException(Reason.TRUNCATED, "frame: head cut");
    }
    header.verifyHead(frame, 0);
    return header;
  }
}
