package io.sluice.transport.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.proto.Fetch;
import io.sluice.proto.Hello;
import io.sluice.proto.Open;
import io.sluice.proto.OpenReply;
import io.sluice.proto.Push;
import io.sluice.proto.Range;
import io.sluice.transport.protocol.DataExchange;
import io.sluice.transport.protocol.FrameHeads;
import io.sluice.transport.protocol.FrameType;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The test controls the clock and the bytes accepted by the socket. */
class GrpcTransportConnectionTest {
  private static final int MIB = 1 << 20;

  /** Header of a message on the wire. */
  private static final int MESSAGE_HEADER_BYTES = 5;

  private static final InetSocketAddress PEER = new InetSocketAddress("127.0.0.1", 1_000);

  private final AtomicLong nanos = new AtomicLong();
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
  private final RequestMemory requestMemory = new RequestMemory(8 * MIB);
  private final FakeService service = new FakeService(requestMemory);
  private final TransportCounters counters = new TransportCounters();
  private final FakeCall call = new FakeCall();
  private final Deque<Runnable> tasks = new ArrayDeque<>();
  private final Timer timer = new Timer();
  private final GrpcTransportConnection connection =
      new GrpcTransportConnection(
          call,
          Optional.empty(),
          allocator,
          service,
          DataTransportConfig.DEFAULT,
          counters,
          tasks::add,
          nanos::get,
          ended -> {});
  private long requests = 1;

  /** Stores the repeated task, which the test runs. */
  private static final class Timer extends ScheduledThreadPoolExecutor {
    private Runnable repeated;
    private Future<?> handle;

    Timer() {
      super(1);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(
        Runnable task, long initialDelay, long delay, TimeUnit unit) {
      repeated = task;
      ScheduledFuture<?> far = schedule(() -> {}, 1, TimeUnit.DAYS);
      handle = far;
      return far;
    }
  }

  /** Counts bytes like gRPC: from the call of sendMessage until the socket accepts them. */
  private final class FakeCall extends ServerCall<InputStream, InputStream> {
    private long sentBytes;
    private long unsentBytes;
    private int threshold;
    private int largestMessage;
    private Status closed;

    void accept(long bytes) {
      boolean before = unsentBytes < threshold;
      unsentBytes -= Math.min(bytes, unsentBytes);
      if (!before && unsentBytes < threshold) {
        connection.listener().onReady();
      }
    }

    @Override
    public void setOnReadyThreshold(int numBytes) {
      threshold = numBytes;
    }

    @Override
    public boolean isReady() {
      return unsentBytes < threshold;
    }

    @Override
    public void sendMessage(InputStream message) {
      try {
        int length = message.readAllBytes().length;
        largestMessage = Math.max(largestMessage, length);
        sentBytes += length;
        unsentBytes += length + MESSAGE_HEADER_BYTES;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void request(int count) {}

    @Override
    public void sendHeaders(Metadata headers) {}

    @Override
    public void close(Status status, Metadata trailers) {
      closed = status;
    }

    @Override
    public boolean isCancelled() {
      return false;
    }

    @Override
    public Attributes getAttributes() {
      return Attributes.newBuilder().set(Grpc.TRANSPORT_ATTR_REMOTE_ADDR, PEER).build();
    }

    @Override
    public MethodDescriptor<InputStream, InputStream> getMethodDescriptor() {
      return DataExchange.METHOD;
    }
  }

  @BeforeEach
  void greet() {
    assertThat(counters.connectionOpened(DataTransportConfig.DEFAULT, PEER)).isNull();
    connection.start(timer);
    send(
        FrameType.HELLO,
        Hello.newBuilder().setMinVersion(1).setMaxVersion(1).setApplication("app").build());
    assertThat(call.sentBytes).as("HELLO_REPLY").isPositive();
    call.accept(call.unsentBytes);
  }

  @AfterEach
  void everythingIsReleased() {
    connection.fail(Status.UNAVAILABLE);
    runTasks();
    assertThat(service.unsentBytes()).isZero();
    assertThat(requestMemory.usedBytes()).isZero();
    assertThat(counters.openConnections()).isZero();
    assertThat(allocator.metric().usedDirectMemory()).isZero();
    assertThat(timer.handle.isCancelled()).isTrue();
    timer.shutdownNow();
  }

  private void runTasks() {
    while (!tasks.isEmpty()) {
      tasks.remove().run();
    }
  }

  private void send(FrameType type, MessageLite head) {
    byte[] frame = frame(type, head);
    for (int at = 0; at < frame.length; at += DataExchange.MAX_MESSAGE_LENGTH) {
      int end = Math.min(frame.length, at + DataExchange.MAX_MESSAGE_LENGTH);
      message(Arrays.copyOfRange(frame, at, end));
    }
  }

  private byte[] frame(FrameType type, MessageLite head) {
    ByteBuf frame = FrameHeads.encode(allocator, type, requests++, head, 0);
    try {
      return ByteBufUtil.getBytes(frame);
    } finally {
      frame.release();
    }
  }

  private void message(byte[] bytes) {
    connection.listener().onMessage(new ByteArrayInputStream(bytes));
  }

  private void fetch(int... lengths) {
    Fetch.Builder fetch = Fetch.newBuilder();
    for (int length : lengths) {
      fetch.addRanges(Range.newBuilder().setLength(length));
    }
    send(FrameType.FETCH, fetch.build());
  }

  private void pass(long ms) {
    for (long passed = 0; passed < ms && call.closed == null; passed += 5_000) {
      nanos.addAndGet(TimeUnit.SECONDS.toNanos(5));
      timer.repeated.run();
    }
  }

  @Test
  void countsAReplyUntilItsLastByteIsSent() {
    fetch(3 * MIB, MIB);
    assertThat(call.sentBytes).isLessThan(ReplyQueue.COPY_BYTES + 1_000);
    assertThat(service.unsentBytes()).as("no bytes are reported as sent").isEqualTo(4 * MIB);
    while (call.sentBytes < 4 * MIB) {
      call.accept(100_000);
      assertThat(service.unsentBytes())
          .isGreaterThanOrEqualTo(4 * MIB + 100 - call.sentBytes)
          .isLessThanOrEqualTo(4 * MIB + ReplyQueue.COPY_BYTES + 1_000 - call.sentBytes);
      assertThat(call.unsentBytes).isLessThan(ReplyQueue.COPY_BYTES + 1_000);
    }
    assertThat(service.unsentBytes()).isPositive();
    call.accept(call.unsentBytes - 1);
    assertThat(service.unsentBytes()).isPositive();
    call.accept(1);
    assertThat(service.unsentBytes()).isZero();
    assertThat(call.largestMessage).isLessThanOrEqualTo(DataExchange.MAX_MESSAGE_LENGTH);
  }

  @Test
  void sendsTheNextReplyWhileThePreviousOneIsUnsent() {
    fetch(1_000);
    assertThat(service.unsentBytes()).isEqualTo(1_000);
    fetch(50_000);
    assertThat(call.sentBytes).isGreaterThan(51_000);
    assertThat(service.unsentBytes()).isEqualTo(51_000);
    call.accept(call.unsentBytes);
    assertThat(service.unsentBytes()).isZero();
  }

  @Test
  void splitsALargeHeadAndCountsItUntilItIsSent() {
    send(FrameType.OPEN, Open.newBuilder().setMaxWaitMs(1).build());
    OpenReply large =
        OpenReply.newBuilder().addAttemptSets(ByteString.copyFrom(new byte[MIB])).build();
    service.waitingOpens().forEach(open -> open.complete(large));
    runTasks();
    assertThat(requestMemory.usedBytes()).isGreaterThan(MIB);
    while (call.unsentBytes > 0) {
      call.accept(50_000);
    }
    assertThat(requestMemory.usedBytes()).isZero();
    assertThat(call.sentBytes).isGreaterThan(MIB);
    assertThat(call.largestMessage).isLessThanOrEqualTo(DataExchange.MAX_MESSAGE_LENGTH);
  }

  @Test
  void receivesALargeHeadInParts() {
    Open.Builder open = Open.newBuilder();
    open.setWantedAttempts(ByteString.copyFrom(new byte[900_000]));
    long before = call.sentBytes;
    send(FrameType.OPEN, open.build());
    runTasks();
    assertThat(call.closed).isNull();
    assertThat(call.sentBytes).as("OPEN_REPLY").isGreaterThan(before);
  }

  @Test
  void closesAClientThatReceivesNothing() {
    fetch(MIB);
    pass(55_000);
    assertThat(call.closed).isNull();
    pass(20_000);
    assertThat(call.closed.getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
    assertThat(service.unsentBytes()).isZero();
  }

  @Test
  void closesAClientThatReceivesOnePartPerMinute() {
    fetch(32 * MIB);
    int minutes = 0;
    while (call.closed == null && minutes < 60) {
      minutes++;
      call.accept(100_000);
      pass(50_000);
    }
    assertThat(minutes).isBetween(3, 5);
    assertThat(service.unsentBytes()).isZero();
  }

  @Test
  void keepsAClientThatPausesForAnHour() {
    fetch(MIB);
    while (call.unsentBytes > 0) {
      call.accept(50_000);
    }
    pass(3_600_000);
    assertThat(call.closed).isNull();
    fetch(MIB);
    assertThat(service.unsentBytes()).isEqualTo(MIB);
    assertThat(counters.timeouts()).isZero();
  }

  @Test
  void pausesAClientThatDoesNotReceiveItsAcknowledgements() {
    int pushes = 0;
    while (call.unsentBytes < call.threshold && pushes < 100_000) {
      pushes++;
      send(FrameType.PUSH, Push.getDefaultInstance());
    }
    long unsent = call.unsentBytes;
    for (int i = 0; i < 1_000; i++) {
      send(FrameType.PUSH, Push.getDefaultInstance());
    }
    assertThat(call.unsentBytes).as("no more messages are passed to gRPC").isEqualTo(unsent);
  }
}
