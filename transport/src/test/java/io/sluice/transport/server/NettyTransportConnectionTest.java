package io.sluice.transport.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.proto.Fetch;
import io.sluice.proto.Hello;
import io.sluice.proto.Open;
import io.sluice.proto.OpenReply;
import io.sluice.proto.Push;
import io.sluice.proto.Range;
import io.sluice.transport.protocol.FrameHeader;
import io.sluice.transport.protocol.FrameHeads;
import io.sluice.transport.protocol.FrameLimits;
import io.sluice.transport.protocol.FrameType;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The test controls the clock and the bytes that the client receives. */
class NettyTransportConnectionTest {
  private static final int MIB = 1 << 20;

  /** Upper bound of the memory for ciphertext and messages in transit. */
  private static final int SOME_BYTES = ReplyQueue.COPY_BYTES + (64 << 10);

  @TempDir Path directory;

  private final AtomicLong nanos = new AtomicLong(-1);
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
  private final RequestMemory requestMemory = new RequestMemory(4 * MIB);
  private final FakeService service = new FakeService(requestMemory);
  private final TransportCounters counters = new TransportCounters();
  private final List<SlowChannel> channels = new ArrayList<>();
  private long requests = 1;

  @AfterEach
  void everythingIsReleased() {
    for (SlowChannel channel : channels) {
      channel.close().syncUninterruptibly();
      channel.runPendingTasks();
    }
    assertThat(service.unsentBytes()).isZero();
    assertThat(requestMemory.usedBytes()).isZero();
    assertThat(counters.pausedConnections()).isZero();
    assertThat(counters.openConnections()).isZero();
    assertThat(allocator.metric().usedDirectMemory()).isZero();
  }

  private SlowChannel connect(boolean encrypted) {
    InetSocketAddress peer = new InetSocketAddress("127.0.0.1", 1_000 + channels.size());
    SlowChannel channel = new SlowChannel();
    channels.add(channel);
    channel.freezeTime();
    channel.config().setAllocator(allocator);
    assertThat(counters.connectionOpened(DataTransportConfig.DEFAULT, peer)).isNull();
    NettyTransportConnection connection =
        new NettyTransportConnection(
            channel, peer, service, DataTransportConfig.DEFAULT, encrypted, counters, nanos::get);
    channel.pipeline().addLast(connection.receiver());
    connection.start();
    channel.receive(1_000);
    send(
        channel,
        FrameType.HELLO,
        Hello.newBuilder().setMinVersion(1).setMaxVersion(1).setApplication("app").build());
    assertThat(channel.receivedBytes()).as("HELLO_REPLY").isPositive();
    channel.receive(-(1_000 - channel.receivedBytes()));
    return channel;
  }

  private void send(SlowChannel channel, FrameType type, MessageLite head, byte... body) {
    ByteBuf frame = FrameHeads.encode(allocator, type, requests++, head, body.length);
    sendBytes(channel, frame.writeBytes(body));
  }

  private static void sendBytes(SlowChannel channel, ByteBuf bytes) {
    // Not writeInbound, which would flush pending writes.
    channel.pipeline().fireChannelRead(bytes);
    channel.pipeline().fireChannelReadComplete();
  }

  private void fetch(SlowChannel channel, int... lengths) {
    Fetch.Builder fetch = Fetch.newBuilder();
    for (int length : lengths) {
      fetch.addRanges(Range.newBuilder().setLength(length));
    }
    send(channel, FrameType.FETCH, fetch.build());
  }

  private void pass(SlowChannel channel, long ms) {
    long stepMs = 5_000;
    for (long left = ms; left > 0; left -= stepMs) {
      long step = Math.min(left, stepMs);
      nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(step));
      channel.advanceTimeBy(step, TimeUnit.MILLISECONDS);
      channel.runScheduledPendingTasks();
    }
  }

  @Test
  void buffersLittleCiphertextAndCountsTheRestUntilItIsSent() {
    SlowChannel channel = connect(true);
    long before = allocator.metric().usedDirectMemory();
    CountedBytes body = fetchedFile(channel, 8 * MIB);
    assertThat(allocator.metric().usedDirectMemory() - before).isLessThan(SOME_BYTES);
    assertThat(body.unsentBytes()).as("no bytes are sent").isEqualTo(8 * MIB);

    channel.receive(3 * MIB);
    assertThat(body.unsentBytes()).isBetween(5 * MIB - 1, 5 * MIB + SOME_BYTES);
    assertThat(allocator.metric().usedDirectMemory() - before).isLessThan(SOME_BYTES);
    assertThat(body.isClosed()).isFalse();

    channel.receiveAll();
    assertThat(body.isClosed()).isTrue();
    assertThat(allocator.metric().usedDirectMemory()).isEqualTo(before);
  }

  /** A reply with one file piece. */
  private CountedBytes fetchedFile(SlowChannel channel, int length) {
    try {
      byte[] content = new byte[length];
      new Random(1).nextBytes(content);
      Path path = directory.resolve("file");
      Files.write(path, content);
      CountedBytes body =
          new CountedBytes().add(FileChannel.open(path, StandardOpenOption.READ), 0, length);
      service.answerNext(body);
      fetch(channel, 1);
      return body;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void sendsTheBytesOfFilesAndMemory() throws IOException {
    for (boolean encrypted : new boolean[] {true, false}) {
      SlowChannel channel = connect(encrypted);
      long hello = channel.receivedBytes();
      fetchedFile(channel, 3 * MIB);
      channel.receiveAll();
      byte[] received = channel.received();
      byte[] content = Files.readAllBytes(directory.resolve("file"));
      byte[] body = Arrays.copyOfRange(received, received.length - content.length, received.length);
      assertThat(body).isEqualTo(content);
      assertThat(received.length - hello - content.length).isBetween(32L, 100L);
    }
  }

  @Test
  void countsZeroCopyRepliesUntilTheyAreSent() {
    SlowChannel channel = connect(false);
    long before = allocator.metric().usedDirectMemory();
    CountedBytes body = fetchedFile(channel, 8 * MIB);
    assertThat(body.unsentBytes()).isEqualTo(8 * MIB);
    channel.receive(3 * MIB);
    assertThat(body.unsentBytes()).isBetween(5 * MIB - 1, 6 * MIB + 100);
    assertThat(allocator.metric().usedDirectMemory() - before).isLessThan(1_000);
    channel.receiveAll();
    assertThat(body.isClosed()).isTrue();
  }

  @Test
  void sendsWholeSegmentsUntilTheLastPartOfAReply() throws IOException {
    SlowChannel channel = connect(false);
    fetchedFile(channel, MIB);
    assertThat(channel.sendsWholeSegments()).as("one part").isFalse();
    Path file = directory.resolve("file");
    for (int i = 0; i < 2; i++) {
      CountedBytes parts = new CountedBytes();
      for (int part = 0; part < 2; part++) {
        parts.add(FileChannel.open(file, StandardOpenOption.READ), 0, MIB / 4);
      }
      service.answerNext(parts);
      fetch(channel, 1);
    }
    channel.receive(2 * MIB - MIB / 4 + 500);
    assertThat(channel.sendsWholeSegments()).as("within the last part").isTrue();
    channel.receiveAll();
    assertThat(channel.sendsWholeSegments()).isFalse();
  }

  @Test
  void handlesNoFetchWhileManyRepliesAreUnsent() {
    for (boolean encrypted : new boolean[] {true, false}) {
      int before = service.fetches();
      SlowChannel channel = connect(encrypted);
      for (int i = 0; i < 20; i++) {
        fetch(channel, MIB, MIB);
      }
      assertThat(service.fetches() - before).as("4 MiB, and their heads").isEqualTo(2);
      assertThat(channel.config().isAutoRead()).isFalse();
      channel.receive(3 * MIB + 1_000);
      assertThat(service.fetches() - before).isBetween(3, 4);
      channel.receiveAll();
      assertThat(service.fetches() - before).isEqualTo(20);
      assertThat(channel.config().isAutoRead()).isTrue();
      assertThat(service.unsentBytes()).isZero();
    }
  }

  @Test
  void closesAClientThatReceivesNothing() {
    SlowChannel channel = connect(true);
    fetch(channel, MIB);
    pass(channel, 55_000);
    assertThat(channel.isOpen()).isTrue();
    pass(channel, 20_000);
    assertThat(channel.isOpen()).isFalse();
    assertThat(service.unsentBytes()).isZero();
  }

  @Test
  void closesAClientThatReceivesOneBytePerMinute() {
    for (boolean encrypted : new boolean[] {true, false}) {
      SlowChannel channel = connect(encrypted);
      fetch(channel, MIB);
      int minutes = 0;
      while (channel.isOpen() && minutes < 60) {
        minutes++;
        channel.receive(1);
        pass(channel, 50_000);
      }
      assertThat(minutes).isBetween(3, 5);
      assertThat(service.unsentBytes()).isZero();
    }
  }

  /** A client receives requested data, even if its task uses the data much later. */
  @Test
  void keepsAClientThatPausesForAnHour() {
    SlowChannel channel = connect(true);
    channel.receiveAll();
    fetch(channel, MIB, MIB);
    assertThat(service.unsentBytes()).isZero();
    pass(channel, 3_600_000);
    assertThat(channel.isOpen()).isTrue();
    long before = channel.receivedBytes();
    fetch(channel, MIB);
    assertThat(channel.receivedBytes() - before).isGreaterThan(MIB);
    assertThat(counters.timeouts()).isZero();
  }

  @Test
  void closesAConnectionWhoseFileCannotBeRead() {
    SlowChannel channel = connect(true);
    CountedBytes body = fetchedFile(channel, MIB);
    assertThat(body.isClosed()).isFalse();
    SlowChannel other = connect(true);
    try (FileChannel file = FileChannel.open(directory.resolve("file"), StandardOpenOption.READ)) {
      CountedBytes tooShort = new CountedBytes().add(file, 0, MIB + 1);
      service.answerNext(tooShort);
      fetch(other, 1);
      other.receiveAll();
      assertThat(other.isOpen()).isFalse();
      assertThat(tooShort.isClosed()).isTrue();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void refusesAHeadByItsTypeBeforeItArrives() {
    for (FrameType type : List.of(FrameType.OPEN_REPLY, FrameType.HELLO)) {
      SlowChannel channel = connect(false);
      channel.receiveAll();
      sendBytes(channel, header(type, 1_000));
      assertThat(lastFrame(channel)).isEqualTo(FrameType.ERROR);
      assertThat(channel.isOutputShutdown()).isTrue();
    }
    for (FrameType type : List.of(FrameType.PUSH, FrameType.FETCH, FrameType.OPEN)) {
      SlowChannel channel = connect(false);
      channel.receiveAll();
      sendBytes(channel, header(type, type.maxHeadLength() + 1));
      assertThat(lastFrame(channel)).isEqualTo(FrameType.ERROR);
    }
    assertThat(requestMemory.usedBytes()).isZero();
  }

  /** The header of a frame with a head of {@code headLength} bytes. */
  private ByteBuf header(FrameType type, int headLength) {
    ByteBuf frame = FrameHeads.encode(allocator, type, requests++, Push.getDefaultInstance(), 0);
    // Offset of headLength (see FrameHeader).
    return frame.setIntLE(16, headLength);
  }

  private static FrameType lastFrame(SlowChannel channel) {
    ByteBuf received = Unpooled.wrappedBuffer(channel.received());
    FrameType last = null;
    try {
      while (received.isReadable()) {
        FrameHeader header =
            FrameHeader.read(received, received.readerIndex(), FrameLimits.DEFAULT);
        received.skipBytes(FrameHeader.LENGTH + header.headLength() + header.bodyLength());
        last = header.type();
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return last;
  }

  @Test
  void countsHeadsAndLimitsAnApplicationToItsShare() {
    List<SlowChannel> stalled = new ArrayList<>();
    SlowChannel last = connect(false);
    sendBytes(last, header(FrameType.OPEN, FrameType.OPEN.maxHeadLength()));
    while (last.config().isAutoRead()) {
      stalled.add(last);
      assertThat(stalled.size()).isLessThan(100);
      last = connect(false);
      sendBytes(last, header(FrameType.OPEN, FrameType.OPEN.maxHeadLength()));
    }
    assertThat(requestMemory.usedBytes()).isGreaterThan(requestMemory.capacityBytes() / 2);
    assertThat(counters.pausedConnections()).isEqualTo(1);

    // A waiting head is received when another head is released.
    stalled.forEach(channel -> channel.close().syncUninterruptibly());
    last.runPendingTasks();
    assertThat(last.config().isAutoRead()).isTrue();
    assertThat(counters.pausedConnections()).isZero();
  }

  @Test
  void closesAClientWhoseHeadTrickles() {
    SlowChannel channel = connect(false);
    sendBytes(channel, header(FrameType.OPEN, 1_000));
    int minutes = 0;
    while (channel.isOpen() && minutes < 60) {
      minutes++;
      sendBytes(channel, allocator.buffer(1).writeByte(0));
      pass(channel, 50_000);
    }
    assertThat(minutes).isBetween(3, 5);
    assertThat(requestMemory.usedBytes()).isZero();
  }

  @Test
  void countsRepliesToOpenUntilTheyAreSent() {
    SlowChannel channel = connect(true);
    for (int i = 0; i < 3; i++) {
      send(channel, FrameType.OPEN, Open.newBuilder().setMaxWaitMs(1).build());
    }
    OpenReply large =
        OpenReply.newBuilder().addAttemptSets(ByteString.copyFrom(new byte[MIB])).build();
    service.waitingOpens().forEach(open -> open.complete(large));
    channel.runPendingTasks();
    assertThat(requestMemory.usedBytes()).isBetween(3L * MIB, 3L * MIB + 1_000);
    channel.receive(MIB + 1_000);
    assertThat(requestMemory.usedBytes()).isBetween(2L * MIB, 2L * MIB + 1_000);
    channel.receiveAll();
    assertThat(requestMemory.usedBytes()).isZero();
  }

  @Test
  void pausesAClientThatDoesNotReceiveItsAcknowledgements() {
    SlowChannel channel = connect(false);
    int pushes = 0;
    while (channel.config().isAutoRead() && pushes < 10_000) {
      pushes++;
      send(channel, FrameType.PUSH, Push.getDefaultInstance(), new byte[10]);
    }
    assertThat(pushes).isBetween(100, 300);
    channel.receiveAll();
    assertThat(channel.config().isAutoRead()).isTrue();
  }
}
