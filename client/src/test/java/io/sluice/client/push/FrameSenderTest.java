package io.sluice.client.push;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.client.coordinator.TestAssignments;
import io.sluice.client.fake.IdleConnection;
import io.sluice.client.server.ConnectionPool;
import io.sluice.client.server.DirectMemory;
import io.sluice.client.server.RetryPolicy;
import io.sluice.client.server.ServerHealth;
import io.sluice.client.server.TaskEnvironment;
import io.sluice.common.auth.ApplicationCredentials;
import io.sluice.common.block.BlockCodec;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.Push;
import io.sluice.proto.PushAck;
import io.sluice.proto.ServerId;
import io.sluice.transport.client.ConnectionLostException;
import io.sluice.transport.client.DataConnection;
import io.sluice.transport.client.DataTransport;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Replies in an order that the test chooses, passed to the sender one by one. */
class FrameSenderTest {
  private static final RetryPolicy RETRY = new RetryPolicy(3, 1, 2, 20_000);
  private static final PushConfig CONFIG =
      new PushConfig(16 << 10, 64 << 10, 1, BlockCodec.LZ4, 1, RETRY, RETRY);

  private static final PushConfig PATIENT =
      new PushConfig(
          16 << 10,
          64 << 10,
          1,
          BlockCodec.LZ4,
          1,
          new RetryPolicy(1000, 50, 500, 20_000),
          new RetryPolicy(1000, 50, 500, 60_000));

  private final DirectMemory memory = new DirectMemory(1 << 20);
  private final List<Connection> connections = new ArrayList<>();
  private final Deque<FrameSender.Event> events = new ArrayDeque<>();
  private FrameSender sender = sender(CONFIG, PushOptions.NONE);
  private long now;

  private FrameSender sender(PushConfig config, PushOptions options) {
    return new FrameSender(
        TestAssignments.of(1, 1, 1),
        new MapAttempt(5, 1),
        config,
        options,
        false,
        new TaskEnvironment(
            new ConnectionPool(new Restarts(), "app", "test", 1, new ApplicationCredentials()),
            new ServerHealth(1000, () -> 0),
            memory,
            null),
        new PushWindows(config.frameBytes(), config.inFlightBytes(), 0),
        events::add);
  }

  /** Each connection is to another epoch of the server, which has nothing of earlier ones. */
  private final class Restarts implements DataTransport {
    @Override
    public CompletableFuture<DataConnection> connect(
        ServerId server, String application, String client) {
      Connection connection = new Connection(connections.size() + 1);
      connections.add(connection);
      return CompletableFuture.completedFuture(connection);
    }

    @Override
    public void close() {}
  }

  private static final class Connection implements IdleConnection {
    private final long epoch;
    private final List<CompletableFuture<PushAck>> replies = new ArrayList<>();
    private boolean open = true;

    Connection(long epoch) {
      this.epoch = epoch;
    }

    @Override
    public long epoch() {
      return epoch;
    }

    @Override
    public long wholeSinceEpoch() {
      return epoch;
    }

    @Override
    public CompletableFuture<PushAck> push(Push push, ByteBuf body) {
      body.release();
      CompletableFuture<PushAck> reply = new CompletableFuture<>();
      replies.add(reply);
      return reply;
    }

    @Override
    public boolean isOpen() {
      return open;
    }

    @Override
    public void close() {
      open = false;
    }

    void acknowledge(int push) {
      replies.get(push).complete(PushAck.newBuilder().setEpoch(epoch).build());
    }
  }

  /** Handles all events, and sends after the back-off. */
  private void run() throws Exception {
    handle();
    now += TimeUnit.MILLISECONDS.toNanos(10);
    sender.advance(now);
  }

  private void handle() throws Exception {
    while (!events.isEmpty()) {
      sender.on(events.remove(), now);
    }
  }

  /** Refuses a frame until its server is given up. */
  private void refuseForLackOfSpace() throws Exception {
    sender.enqueue(0, Unpooled.buffer().writeZero(100));
    sender.advance(now);
    run();
    List<CompletableFuture<PushAck>> replies = connections.get(0).replies;
    for (int refused = 0; sender.failover().hasTarget(0); ) {
      for (; refused < replies.size(); refused++) {
        replies
            .get(refused)
            .completeExceptionally(new SluiceException(StatusCode.NO_SPACE, "memory is full"));
      }
      run();
    }
  }

  private long passedMs() {
    return TimeUnit.NANOSECONDS.toMillis(now);
  }

  @Test
  void aLateAcknowledgementOfALostEpochDoesNotCount() throws Exception {
    sender.enqueue(0, Unpooled.buffer().writeZero(100));
    sender.enqueue(0, Unpooled.buffer().writeZero(100));
    run();
    Connection before = connections.get(0);
    assertThat(before.replies).hasSize(2);
    before.close();
    before.replies.get(1).completeExceptionally(new ConnectionLostException("the server crashed"));
    run();
    Connection after = connections.get(1);
    assertThat(after.replies).as("the second frame").hasSize(1);

    before.acknowledge(0);
    run();

    assertThat(after.replies).as("the first frame, too").hasSize(2);
    after.acknowledge(0);
    after.acknowledge(1);
    run();
    assertThat(sender.unacknowledged().count()).isZero();
    assertThat(memory.usedBytes()).isZero();
    sender.close();
  }

  @Test
  void anAcknowledgementOfAnotherEpochThanTheConnectionFailsTheAttempt() throws Exception {
    sender.enqueue(0, Unpooled.buffer().writeZero(100));
    run();
    connections.get(0).replies.get(0).complete(PushAck.newBuilder().setEpoch(2).build());

    assertThatThrownBy(this::run)
        .isInstanceOfSatisfying(
            PushFailedException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.STALE_EPOCH))
        .hasMessageContaining("epoch=2 expected=1");
    sender.close();
    assertThat(memory.usedBytes()).isZero();
  }

  @Test
  void aServerWithoutSpaceIsGivenUpAfterATenthOfTheRetryPeriod() throws Exception {
    List<Integer> local = new ArrayList<>();
    sender = sender(PATIENT, new PushOptions(null, null, body -> local.add(body.readableBytes())));

    refuseForLackOfSpace();

    assertThat(local).containsExactly(100);
    assertThat(passedMs()).isBetween(2_000L, 2_500L);
    sender.close();
  }

  @Test
  void aServerWithoutSpaceIsTriedForTheRetryPeriodIfThereIsNoOther() throws Exception {
    List<String> asked = new ArrayList<>();
    ReplacementServers none =
        (known, server, cause, partitions) -> {
          asked.add(cause + " after " + passedMs() / 1000 + " s");
          return CompletableFuture.completedFuture(null);
        };
    sender = sender(PATIENT, new PushOptions(null, none, null));

    assertThatThrownBy(this::refuseForLackOfSpace)
        .isInstanceOf(PushFailedException.class)
        .hasMessageContaining("memory is full");

    assertThat(asked).containsExactly("FAILED after 2 s", "FAILED after 22 s");
    sender.close();
  }

  @Test
  void aServerWithoutSpaceIsTriedForTheBusyPeriodIfItsFramesCannotGoElsewhere() throws Exception {
    sender = sender(PATIENT, PushOptions.NONE);

    assertThatThrownBy(this::refuseForLackOfSpace).isInstanceOf(PushFailedException.class);

    assertThat(passedMs()).isBetween(60_000L, 60_500L);
    sender.close();
  }
}
