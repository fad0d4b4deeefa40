package io.sluice.transport.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.sluice.common.test.TestEffort;
import io.sluice.proto.Open;
import io.sluice.proto.Push;
import java.io.ByteArrayOutputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FrameReceiverTest {
  private static final FrameLimits LIMITS = new FrameLimits(8 << 10, 100_000);

  /** One frame, as sent or received; a null body means that the body was discarded. */
  private record Frame(FrameType type, long requestId, ByteString body) {}

  /** Records received frames, and receives, delays or discards bodies at random. */
  private static final class Sink implements ChannelFrameSink {
    final Random random;
    final List<Frame> frames = new ArrayList<>();
    final List<FrameFormatException> problems = new ArrayList<>();
    final Deque<Runnable> later = new ArrayDeque<>();
    FrameReceiver receiver;
    boolean discardAll;
    boolean headsAtOnce;
    int closed;

    Sink(Random random) {
      this.random = random;
    }

    @Override
    public boolean onHeader(FrameHeader header) {
      if (headsAtOnce || random.nextInt(3) > 0) {
        return true;
      }
      later.add(receiver::receiveHead);
      return false;
    }

    @Override
    public void onHead(FrameHeader header, ByteBuf frame) {
      assertThat(frame.readableBytes()).isEqualTo(FrameHeader.LENGTH + header.headLength());
      if (header.bodyLength() == 0) {
        frames.add(new Frame(header.type(), header.requestId(), ByteString.EMPTY));
        randomlyPause();
      } else if (random.nextBoolean()) {
        decide(header);
      } else {
        later.add(() -> decide(header));
      }
    }

    private void decide(FrameHeader header) {
      if (discardAll || random.nextInt(5) == 0) {
        frames.add(new Frame(header.type(), header.requestId(), null));
        receiver.discardBody();
      } else {
        receiver.receiveBody(target(header.bodyLength()));
      }
    }

    /** A contiguous or a composite buffer. */
    private ByteBuf target(int length) {
      if (random.nextBoolean()) {
        return UnpooledByteBufAllocator.DEFAULT.directBuffer(length, length);
      }
      CompositeByteBuf slabs = Unpooled.compositeBuffer(1_000);
      for (int left = length; left > 0; ) {
        int part = Math.min(left, 1 + random.nextInt(20_000));
        slabs.addComponent(
            true, UnpooledByteBufAllocator.DEFAULT.directBuffer(part, part).writerIndex(part));
        left -= part;
      }
      return slabs.writerIndex(0);
    }

    private void randomlyPause() {
      if (random.nextInt(4) == 0) {
        receiver.paused(true);
        later.add(() -> receiver.paused(false));
      }
    }

    @Override
    public void onBody(FrameHeader header, ByteBuf body) {
      assertThat(body.readableBytes()).isEqualTo(header.bodyLength());
      frames.add(
          new Frame(header.type(), header.requestId(), ByteString.copyFrom(body.nioBuffer())));
      body.release();
      randomlyPause();
    }

    @Override
    public void onMalformed(long requestId, FrameFormatException problem) {
      problems.add(problem);
    }

    @Override
    public void onReadComplete() {}

    @Override
    public void onClosed(Throwable causeOrNull) {
      assertThat(causeOrNull).isNull();
      closed++;
    }
  }

  /** A channel whose reads are made by the test, in the way of a transport. */
  private static final class Wire implements AutoCloseable {
    final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    final Sink sink;
    final FrameReceiver receiver;
    final EmbeddedChannel channel;
    final RecvByteBufAllocator.ExtendedHandle handle;

    Wire(Random random) {
      sink = new Sink(random);
      receiver = new FrameReceiver(LIMITS, sink);
      sink.receiver = receiver;
      channel = new EmbeddedChannel();
      channel.config().setAllocator(allocator);
      channel.pipeline().addLast(receiver);
      handle = (RecvByteBufAllocator.ExtendedHandle) receiver.allocator().newHandle();
    }

    /**
     * Reads up to {@code length} bytes; returns the number of bytes that fitted into the buffer.
     */
    int read(byte[] bytes, int at, int length) {
      ByteBuf buffer = handle.allocate(allocator);
      int part = Math.min(length, buffer.writableBytes());
      if (part == 0) {
        buffer.release();
        return 0;
      }
      buffer.writeBytes(bytes, at, part);
      channel.pipeline().fireChannelRead(buffer);
      channel.pipeline().fireChannelReadComplete();
      return part;
    }

    boolean reading() {
      return channel.config().isAutoRead();
    }

    long usedMemory() {
      return allocator.metric().usedDirectMemory() + allocator.metric().usedHeapMemory();
    }

    @Override
    public void close() {
      channel.close().syncUninterruptibly();
      assertThat(sink.closed).isEqualTo(1);
      assertThat(usedMemory()).isZero();
    }
  }

  @Test
  void splitsAnyStreamIntoFramesWithAnyReads() {
    for (int seed = 0; seed < TestEffort.times(12); seed++) {
      Random random = new Random(seed);
      List<Frame> sent = new ArrayList<>();
      byte[] stream = randomFrames(random, sent);
      try (Wire wire = new Wire(random)) {
        int at = 0;
        int largestRead = 1 + random.nextInt(random.nextBoolean() ? 50 : 100_000);
        while (at < stream.length || !wire.sink.later.isEmpty()) {
          // A read that started before auto-read was disabled still delivers its bytes.
          boolean underWay = random.nextInt(10) == 0;
          if (at < stream.length && (wire.reading() || underWay)) {
            at +=
                wire.read(
                    stream, at, Math.min(stream.length - at, random.nextInt(largestRead + 1)));
          }
          if (!wire.sink.later.isEmpty() && (!wire.reading() || random.nextInt(3) == 0)) {
            wire.sink.later.remove().run();
          }
        }
        assertThat(wire.sink.problems).as("seed %d", seed).isEmpty();
        assertSame(wire.sink.frames, sent, seed);
        assertThat(wire.receiver.receivedBytes()).isEqualTo(stream.length);
      }
    }
  }

  private static void assertSame(List<Frame> received, List<Frame> sent, int seed) {
    assertThat(received).as("seed %d", seed).hasSameSizeAs(sent);
    for (int i = 0; i < sent.size(); i++) {
      Frame expected = sent.get(i);
      Frame found = received.get(i);
      assertThat(
              found.equals(expected)
                  || (found.body == null
                      && found.requestId == expected.requestId
                      && !expected.body.isEmpty()))
          .as("seed %d frame %d", seed, i)
          .isTrue();
    }
  }

  private static byte[] randomFrames(Random random, List<Frame> sent) {
    ByteArrayOutputStream stream = new ByteArrayOutputStream();
    int count = 1 + random.nextInt(20);
    for (int i = 0; i < count; i++) {
      boolean hasBody = random.nextBoolean();
      byte[] body = new byte[hasBody ? 1 + random.nextInt(LIMITS.maxBodyLength()) : 0];
      random.nextBytes(body);
      MessageLite head =
          hasBody
              ? Push.newBuilder().setEpoch(random.nextLong()).build()
              : Open.newBuilder().addAllPartitions(someNumbers(random)).build();
      FrameType type = hasBody ? FrameType.PUSH : FrameType.OPEN;
      long requestId = random.nextLong();
      stream.writeBytes(frame(type, requestId, head, body.length));
      stream.writeBytes(body);
      sent.add(new Frame(type, requestId, ByteString.copyFrom(body)));
    }
    return stream.toByteArray();
  }

  private static List<Integer> someNumbers(Random random) {
    return random.ints(random.nextInt(1_500), 0, 1 << 24).boxed().toList();
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
  void receivesBodiesDirectlyIntoTheirMemory() {
    FrameReceiver[] self = new FrameReceiver[1];
    ByteBuf target = UnpooledByteBufAllocator.DEFAULT.directBuffer(50_000, 50_000);
    FrameReceiver receiver =
        new FrameReceiver(
            LIMITS,
            new ChannelFrameSink() {
              @Override
              public void onHead(FrameHeader header, ByteBuf frame) {
                self[0].receiveBody(target.retain());
              }

              @Override
              public void onBody(FrameHeader header, ByteBuf body) {
                body.release();
              }

              @Override
              public void onMalformed(long requestId, FrameFormatException problem) {
                throw new AssertionError(problem);
              }

              @Override
              public void onReadComplete() {}

              @Override
              public void onClosed(Throwable causeOrNull) {}
            });
    self[0] = receiver;
    EmbeddedChannel channel = new EmbeddedChannel(receiver);
    RecvByteBufAllocator.ExtendedHandle handle =
        (RecvByteBufAllocator.ExtendedHandle) receiver.allocator().newHandle();
    ByteBuf first = handle.allocate(UnpooledByteBufAllocator.DEFAULT);
    assertThat(first.capacity()).isEqualTo(FrameReceiver.SMALL_READ_LENGTH);
    channel
        .pipeline()
        .fireChannelRead(
            first.writeBytes(frame(FrameType.PUSH, 1, Push.getDefaultInstance(), 50_000)));

    ByteBuf direct = handle.allocate(UnpooledByteBufAllocator.DEFAULT);

    assertThat(direct.writableBytes()).isEqualTo(50_000);
    assertThat(direct.memoryAddress()).isEqualTo(target.memoryAddress());
    direct.writeZero(50_000);
    channel.pipeline().fireChannelRead(direct);
    assertThat(target.refCnt()).isEqualTo(1);
    target.release();
    channel.close().syncUninterruptibly();
  }

  @Test
  void survivesRandomBytesWithoutLargeMemory() {
    for (int seed = 0; seed < TestEffort.times(400); seed++) {
      Random random = new Random(seed);
      byte[] good = frame(FrameType.PUSH, 9, Push.getDefaultInstance(), 100_000);
      byte[] bytes = new byte[random.nextInt(20_000)];
      random.nextBytes(bytes);
      // Some begin like a frame, so that more than the magic is parsed.
      int prefix = random.nextInt(good.length + 1);
      byte[] stream = Arrays.copyOf(good, prefix + bytes.length);
      System.arraycopy(bytes, 0, stream, prefix, bytes.length);
      try (Wire wire = new Wire(random)) {
        wire.sink.discardAll = true;
        for (int at = 0; at < stream.length; ) {
          if (wire.reading()) {
            at += wire.read(stream, at, stream.length - at);
          } else {
            wire.sink.later.remove().run();
          }
          assertThat(wire.usedMemory())
              .as("seed %d", seed)
              .isLessThan(2L * LIMITS.maxHeadLength() + 2 * FrameReceiver.SMALL_READ_LENGTH);
        }
        assertThat(wire.sink.problems.size()).as("seed %d", seed).isLessThanOrEqualTo(1);
      }
    }
  }

  @Test
  void readsAHeadOnlyWhenRequested() {
    Open.Builder open = Open.newBuilder();
    for (int partition = 0; partition < 4_000; partition++) {
      open.addPartitions(partition);
    }
    byte[] frame = frame(FrameType.OPEN, 1, open.build(), 0);
    Random never =
        new Random() {
          @Override
          public int nextInt(int bound) {
            return 0;
          }
        };
    try (Wire wire = new Wire(never)) {
      wire.read(frame, 0, FrameHeader.LENGTH);
      assertThat(wire.reading()).isFalse();
      assertThat(wire.receiver.receivingHead()).as("waits for the server").isFalse();
      assertThat(wire.usedMemory()).isLessThan(1_000);

      wire.sink.later.remove().run();
      assertThat(wire.reading()).isTrue();
      assertThat(wire.receiver.receivingHead()).isTrue();
      for (int at = FrameHeader.LENGTH; at < frame.length; ) {
        at += wire.read(frame, at, frame.length - at);
      }
      assertThat(wire.sink.frames).hasSize(1);
      assertThat(wire.receiver.receivedFrames()).isEqualTo(1);
    }
  }

  @Test
  void deliversNothingAfterMalformedBytes() {
    byte[] good = frame(FrameType.OPEN, 1, Open.getDefaultInstance(), 0);
    for (int at = 0; at < good.length; at++) {
      byte[] stream = Arrays.copyOf(good, 3 * good.length + LIMITS.maxHeadLength());
      System.arraycopy(good, 0, stream, good.length, good.length);
      System.arraycopy(good, 0, stream, 2 * good.length, good.length);
      stream[at] ^= 0x10;
      try (Wire wire = new Wire(new Random(at))) {
        wire.sink.headsAtOnce = true;
        for (int done = 0; done < stream.length; ) {
          done += wire.read(stream, done, stream.length - done);
        }
        assertThat(wire.sink.problems).as("byte %d", at).hasSize(1);
        assertThat(wire.sink.frames).as("byte %d", at).isEmpty();
        assertThat(wire.reading()).isTrue();
      }
    }
  }

  @Test
  void freesAllMemoryAfterAnyTruncation() {
    byte[] head = frame(FrameType.PUSH, 1, Push.newBuilder().setEpoch(5).build(), 60_000);
    byte[] stream = Arrays.copyOf(head, head.length + 60_000);
    for (int cut = 0; cut <= stream.length; cut += cut < 100 ? 1 : 997) {
      try (Wire wire = new Wire(new Random(cut))) {
        for (int at = 0; at < cut; ) {
          if (wire.reading()) {
            at += wire.read(stream, at, cut - at);
          } else {
            wire.sink.later.remove().run();
          }
        }
      }
    }
  }
}
