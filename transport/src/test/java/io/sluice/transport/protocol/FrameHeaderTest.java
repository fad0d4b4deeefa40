package io.sluice.transport.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.Error;
import io.sluice.proto.Fetch;
import io.sluice.proto.Open;
import io.sluice.proto.Push;
import io.sluice.proto.PushAck;
import io.sluice.proto.Range;
import io.sluice.proto.ShuffleId;
import io.sluice.transport.protocol.FrameFormatException.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.util.HexFormat;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.roaringbitmap.longlong.Roaring64NavigableMap;

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
  void refusesAHeadAboveTheLimitOfItsType() throws FrameFormatException {
    for (FrameType type : FrameType.values()) {
      int longest = type.maxHeadLength();
      assertThat(FrameHeader.read(header(type, longest), 0, FrameLimits.DEFAULT).headLength())
          .isEqualTo(longest);
      ByteBuf longer = header(type, longest + 1);
      FrameFormatException refusal =
          catchThrowableOfType(
              FrameFormatException.class, () -> FrameHeader.read(longer, 0, FrameLimits.DEFAULT));
      assertThat(refusal.reason()).isEqualTo(Reason.TOO_LARGE);
      assertThat(refusal).hasMessageContaining("limit of " + longest);
    }
  }

  /** A header whose {@code headLength} field has the given value. */
  private static ByteBuf header(FrameType type, int headLength) {
    ByteBuf encoded =
        FrameHeads.encode(UnpooledByteBufAllocator.DEFAULT, type, 1, Push.getDefaultInstance(), 0);
    ByteBuf copy = Unpooled.copiedBuffer(encoded);
    encoded.release();
    return copy.setIntLE(FrameHeader.HEAD_LENGTH_AT, headLength);
  }

  @Test
  void acceptsTheLargestLegitimateMessages() {
    String name = "n".repeat(256);
    ShuffleId shuffle =
        ShuffleId.newBuilder().setApplication(name).setShuffle(Integer.MAX_VALUE).build();
    Fetch.Builder fetch = Fetch.newBuilder().setShuffle(shuffle).setEpoch(Long.MAX_VALUE);
    Range range =
        Range.newBuilder()
            .setPartition(Integer.MAX_VALUE)
            .setOffset(Long.MAX_VALUE)
            .setLength(Integer.MAX_VALUE)
            .build();
    for (int i = 0; i < FrameLimits.MAX_RANGES; i++) {
      fetch.addRanges(range);
    }
    PushAck.Builder ack = PushAck.newBuilder().setEpoch(Long.MAX_VALUE);
    for (int i = 0; i < 65_536; i++) {
      ack.addFullPartitions(Integer.MAX_VALUE);
    }
    // Attempts of a million consecutive tasks, as numbered by an engine.
    Roaring64NavigableMap attempts = new Roaring64NavigableMap();
    Random random = new Random(1);
    for (long task = 0; task < 1_000_000; task++) {
      if (random.nextBoolean()) {
        attempts.addLong((1L << 40) + task);
      }
    }
    Open.Builder open =
        Open.newBuilder().setShuffle(shuffle).setWantedAttempts(AttemptSets.encode(attempts));
    for (int i = 0; i < FrameLimits.MAX_PARTITIONS; i++) {
      open.addPartitions(Integer.MAX_VALUE);
    }
    Push push = Push.newBuilder().setShuffle(shuffle).setEpoch(Long.MAX_VALUE).build();
    Error error = Error.newBuilder().setMessage("\uffff".repeat(4096)).build();

    assertThat(push.getSerializedSize()).isLessThan(FrameType.PUSH.maxHeadLength());
    assertThat(ack.build().getSerializedSize()).isLessThan(FrameType.PUSH_ACK.maxHeadLength());
    assertThat(open.build().getSerializedSize()).isLessThan(FrameType.OPEN.maxHeadLength());
    assertThat(fetch.build().getSerializedSize()).isLessThan(FrameType.FETCH.maxHeadLength());
    assertThat(error.getSerializedSize()).isLessThan(FrameType.ERROR.maxHeadLength());
  }

  @Test
  void refusesLengthsBeyondTheLimitsBeforeAnythingIsAllocated() {
    ByteBuf body = push(LIMITS.maxBodyLength() + 1);
    FrameFormatException tooLarge =
        catchThrowableOfType(FrameFormatException.class, () -> FrameHeader.read(body, 0, LIMITS));
    assertThat(tooLarge.reason()).isEqualTo(Reason.TOO_LARGE);
    assertThat(tooLarge.code()).isEqualTo(StatusCode.FRAME_TOO_LARGE);
    assertThat(tooLarge).hasMessageContaining("limit of " + LIMITS.maxBodyLength());

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
  void refusesAnUnexpectedBody() {
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
  void reportsAnInvalidHead() {
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
