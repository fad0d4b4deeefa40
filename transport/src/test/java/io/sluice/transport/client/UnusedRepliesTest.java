package io.sluice.transport.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.MessageLite;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.sluice.common.auth.ApplicationCredentials;
import io.sluice.proto.Fetch;
import io.sluice.proto.FetchReply;
import io.sluice.proto.HelloReply;
import io.sluice.proto.Range;
import io.sluice.transport.protocol.FrameHeads;
import io.sluice.transport.protocol.FrameType;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A connection receives requested replies even if no task uses them, so that a server never waits
 * for a task. The test controls the clock and the server's bytes.
 */
class UnusedRepliesTest {
  private static final int LENGTH = 100_000;
  private static final int FETCHES = 4;

  private final Random random = new Random(3);
  private final AtomicLong nanos = new AtomicLong();
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private NettyConnection connection;
  private long requests;

  @BeforeEach
  void connect() {
    channel.freezeTime();
    channel.config().setAllocator(allocator);
    connection = new NettyConnection("server-1", channel, TransportConfig.DEFAULT, nanos::get);
    channel.pipeline().addLast(connection.receiver());
    connection.start();
    CompletableFuture<DataConnection> hello =
        connection.hello("app", "test", new ApplicationCredentials(), "server-1");
    reply(FrameType.HELLO_REPLY, HelloReply.newBuilder().setVersion(1).setEpoch(7).build());
    assertThat(hello).isCompleted();
  }

  @AfterEach
  void everythingIsFreed() {
    connection.close();
    channel.runPendingTasks();
    channel.releaseOutbound();
    assertThat(allocator.metric().usedDirectMemory()).isZero();
  }

  private void reply(FrameType type, MessageLite head, byte... body) {
    channel.runPendingTasks();
    ByteBuf frame = FrameHeads.encode(allocator, type, ++requests, head, body.length);
    byte[] bytes = ByteBufUtil.getBytes(frame.writeBytes(body));
    frame.release();
    for (int at = 0; at < bytes.length; at += 3_000) {
      assertThat(channel.config().isAutoRead()).as("reading").isTrue();
      int length = Math.min(3_000, bytes.length - at);
      channel.writeInbound(allocator.buffer(length).writeBytes(bytes, at, length));
    }
  }

  private CompletableFuture<FetchedBody> fetch() {
    return connection.fetch(
        Fetch.newBuilder().addRanges(Range.newBuilder().setLength(LENGTH)).build());
  }

  private void pass(long hours) {
    for (long minute = 0; minute < TimeUnit.HOURS.toMinutes(hours); minute++) {
      nanos.addAndGet(TimeUnit.MINUTES.toNanos(1));
      channel.advanceTimeBy(1, TimeUnit.MINUTES);
      channel.runScheduledPendingTasks();
    }
  }

  @Test
  void areReceivedAndKeptWhileTheTaskPauses() {
    channel.releaseOutbound();
    long before = allocator.metric().usedDirectMemory();
    List<CompletableFuture<FetchedBody>> unused = new ArrayList<>();
    List<byte[]> sent = new ArrayList<>();
    for (int i = 0; i < FETCHES; i++) {
      unused.add(fetch());
    }
    for (int i = 0; i < FETCHES; i++) {
      byte[] body = new byte[LENGTH];
      random.nextBytes(body);
      sent.add(body);
      reply(FrameType.FETCH_REPLY, FetchReply.newBuilder().setEpoch(7).build(), body);
    }
    channel.releaseOutbound();
    assertThat(allocator.metric().usedDirectMemory() - before)
        .as("only the requested bytes")
        .isBetween((long) FETCHES * LENGTH, (long) FETCHES * LENGTH + 10_000);

    pass(1);
    assertThat(connection.isOpen()).isTrue();
    for (int i = 0; i < FETCHES; i++) {
      try (FetchedBody body = unused.get(i).join()) {
        assertThat(ByteBufUtil.getBytes(body.bytes())).isEqualTo(sent.get(i));
      }
    }
    CompletableFuture<FetchedBody> next = fetch();
    reply(FrameType.FETCH_REPLY, FetchReply.getDefaultInstance(), new byte[LENGTH]);
    next.join().close();
  }
}
