package io.sluice.client.push;

import io.netty.buffer.ByteBuf;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.push.PushServer.Failure;
import io.sluice.client.push.PushServer.Sending;
import io.sluice.client.server.ConnectionPool;
import io.sluice.client.server.RetryPolicy;
import io.sluice.client.server.ServerHealth;
import io.sluice.client.server.ServerSession;
import io.sluice.client.server.ServerWaits;
import io.sluice.client.server.TaskEnvironment;
import io.sluice.client.server.TaskMachine;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.Push;
import io.sluice.proto.PushAck;
import io.sluice.proto.ShuffleId;
import io.sluice.transport.client.ConnectionLostException;
import io.sluice.transport.client.DataConnection;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends each frame of one push session to every server of its replica set, and again after a
 * failure. Keeps the frame until all of these servers have acknowledged it. A state machine that
 * never waits; its caller passes the time. Owned by the task thread; requests complete as {@link
 * Event}s.
 *
 * <pre>
 *             enqueue            send                 acknowledgement
 *  new frame ---------&gt; unsent --------&gt; in flight -------------------&gt; released at this server
 *                         ^  |               |
 *                         |  |               | failure, stale acknowledgement
 *                         +--+---------------+
 *                            | server given up
 *                            v
 *                         Failover moves the frame to other servers or to local output
 * </pre>
 *
 * <p>Queues, epochs and states of one server are in {@link PushServer}, the connection and its
 * retries in {@link ServerSession}, the choice of servers in {@link Failover}.
 *
 * <p>A restarted server reports {@code wholeSinceEpoch}: it has all blocks that it acknowledged in
 * this epoch or a later one. If this includes the first acknowledgement of this session, as after a
 * clean stop, the session continues in the new epoch and sends unacknowledged frames again.
 * Otherwise, as after a crash, acknowledged frames are lost; the attempt fails unless other
 * replicas have them. A server that accepts no frame within its retry period is given up, see
 * {@link Failover}.
 */
final class FrameSender implements TaskMachine<FrameSender.Event> {
  private static final Logger LOG = LoggerFactory.getLogger(FrameSender.class);

  /**
   * Number of damaged arrivals of one frame after which the fault is assumed to be in this process.
   */
  private static final int MAX_CORRUPT_ATTEMPTS = 5;

  /** A server without space gets a tenth of the retry period if its frames can go elsewhere. */
  private static final int SHARE_WITHOUT_SPACE = 10;

  /**
   * Timeout of the first reply of a server that other tasks gave up; a healthy server needs far
   * less.
   */
  private static final long PROBE_MS = 2_000;

  private final ShuffleId shuffle;
  private final MapAttempt attempt;
  private final PushConfig config;
  private final ConnectionPool pool;
  private final int connectionSlot;
  private final PushWindows windows;
  private final ServerHealth health;
  private final UnacknowledgedFrames unacknowledged;
  private final Consumer<Event> events;
  private final Failover failover;
  private long nextFrame;
  private boolean closed;
  private long sentBytes;
  private long sentFrames;
  private long retries;
  private final ServerWaits waits = new ServerWaits();

  /** Result of a request, reported by another thread. */
  sealed interface Event {}

  private record Connected(PushServer server, DataConnection connection, Throwable failure)
      implements Event {}

  private record Answered(
      PushServer server, Sending sending, DataConnection connection, PushAck ack, Throwable failure)
      implements Event {}

  private record Replaced(Failover.Answer answer) implements Event {}

  /**
   * @param hasLocalCopy whether the blocks are also in a local file, so that the session need not
   *     wait for a failing server even if there is no other
   * @param events receives every event, on any thread; the task thread passes it to {@link #on}
   */
  FrameSender(
      ShuffleAssignment assignment,
      MapAttempt attempt,
      PushConfig config,
      PushOptions options,
      boolean hasLocalCopy,
      TaskEnvironment environment,
      PushWindows windows,
      Consumer<Event> events) {
    this.shuffle = assignment.shuffle();
    this.attempt = attempt;
    this.config = config;
    this.pool = environment.pool();
    this.connectionSlot = pool.nextSlot();
    this.windows = windows;
    this.health = environment.health();
    this.unacknowledged = new UnacknowledgedFrames(environment.memory());
    this.events = events;
    this.failover =
        new Failover(
            assignment,
            attempt,
            config.writeQuorum(),
            hasLocalCopy,
            options,
            health,
            unacknowledged,
            answer -> events.accept(new Replaced(answer)));
  }

  Failover failover() {
    return failover;
  }

  /** The frames without an acknowledgement of all their servers. */
  UnacknowledgedFrames unacknowledged() {
    return unacknowledged;
  }

  /**
   * Queues a frame, which {@link #advance} sends.
   *
   * @param body takes
   * @throws IOException if no server accepts it and there is no local output
   */
  void enqueue(int set, ByteBuf body) throws IOException {
    Frame frame = new Frame(nextFrame++, failover.sets().servers(set), body);
    unacknowledged.add(frame);
    try {
      failover.distribute(frame);
    } finally {
      unacknowledged.release(frame);
    }
  }

  @Override
  public long timeoutNanos() {
    return TimeUnit.MILLISECONDS.toNanos(config.busyRetry().retryPeriodMs());
  }

  @Override
  public long dueInNanos(long now) {
    long due = Long.MAX_VALUE;
    for (PushServer server : failover.servers()) {
      if (server.isOpen() && server.hasFrames()) {
        due = Math.min(due, server.session().replyLeftNanos(now));
        if (server.hasUnsent() && !server.session().isConnecting()) {
          due = Math.min(due, server.session().backOffLeftNanos(now));
        }
      }
    }
    return due;
  }

  /** A wait counts for a server that blocks frames, or else for the one with the oldest frame. */
  @Override
  public void waited(long nanos) {
    PushServer awaited = null;
    for (PushServer server : failover.servers()) {
      if (server.isBlocked()) {
        awaited = server;
        break;
      }
      if (server.hasFrames()
          && (awaited == null || server.oldestSentNanos() - awaited.oldestSentNanos() < 0)) {
        awaited = server;
      }
    }
    if (awaited != null) {
      waits.waited(awaited.name(), nanos);
    }
  }

  @Override
  public void timedOut(long now) throws IOException {
    boolean any = false;
    for (int i = 0; i < failover.servers().size(); i++) {
      PushServer server = failover.servers().get(i);
      if (server.hasFrames()) {
        any = true;
        if (server.isStopped()) {
          failover.noReplacement(server);
        } else {
          failover.giveUp(
              server, Failure.of(StatusCode.BUSY, silent(config.busyRetry().retryPeriodMs())));
        }
      }
    }
    if (!any) {
      throw new IllegalStateException(
          "internal error: no server has any of the unacknowledged frames, frames="
              + unacknowledged.count());
    }
  }

  private static ConnectionLostException silent(long ms) {
    return new ConnectionLostException("no reply within " + ms + " ms");
  }

  @Override
  public void on(Event event, long now) throws IOException {
    if (event instanceof Replaced replaced) {
      failover.onAnswer(replaced.answer());
    } else if (event instanceof Connected connected) {
      if (connected.server().isOpen()) {
        onConnected(connected, now);
      }
    } else if (event instanceof Answered answered) {
      PushServer server = answered.server();
      if (server.isOpen() && server.onReply(answered.sending())) {
        if (answered.failure() == null) {
          onAck(server, answered, now);
        } else {
          onFailure(server, answered, now);
        }
      }
    }
  }

  private void onConnected(Connected connected, long now) throws IOException {
    PushServer server = connected.server();
    waits.answered(server.name());
    if (connected.failure() != null) {
      server.session().disconnected();
      onConnectFailure(server, unwrapped(connected.failure()), now);
      return;
    }
    DataConnection connection = connected.connection();
    if (!server.canResume(connection)) {
      failover.giveUpLost(
          server,
          Failure.of(
              StatusCode.STALE_EPOCH,
              new ConnectionLostException(
                  "the server restarted and lost acknowledged frames, epoch="
                      + connection.epoch()
                      + " previousEpoch="
                      + server.epoch())));
      return;
    }
    if (server.isEpochKnown() && server.epoch() != connection.epoch()) {
      LOG.info(
          "push continues after a server restart application={} shuffle={} attempt={} server={}"
              + " epoch={} wholeSinceEpoch={}",
          shuffle.getApplication(),
          shuffle.getShuffle(),
          attempt.id(),
          server.name(),
          connection.epoch(),
          connection.wholeSinceEpoch());
    }
    server.connected(connection);
  }

  private void onConnectFailure(PushServer server, Throwable cause, long now) throws IOException {
    if (!(cause instanceof SluiceException refusal)) {
      retryConnection(server, cause, now);
      return;
    }
    switch (refusal.code().onPush()) {
      case WAIT, WAIT_BRIEFLY, RETRY, RECONNECT, RENEW, RESEND ->
          retryConnection(server, cause, now);
      case FAIL_OVER, DELETED ->
          // After DENIED, other tasks skip the server too: they have the same credential.
          failover.giveUp(
              server,
              new Failure(refusal.code(), cause, refusal.code() == StatusCode.DENIED, false));
    }
  }

  private void onAck(PushServer server, Answered answered, long now) throws IOException {
    PushAck ack = answered.ack();
    if (ack.getEpoch() != answered.connection().epoch()) {
      server.enqueue(answered.sending());
      failover.giveUpLost(
          server,
          Failure.of(
              StatusCode.STALE_EPOCH,
              new ConnectionLostException(
                  "the acknowledgement is of another epoch than the connection, epoch="
                      + ack.getEpoch()
                      + " expected="
                      + answered.connection().epoch())));
      return;
    }
    if (!server.stillStores(ack.getEpoch())) {
      // An acknowledgement from an earlier epoch: the data is lost, so the frame is sent again.
      server.enqueue(answered.sending());
      return;
    }
    server.acknowledged(ack.getEpoch());
    health.markHealthy(server.server());
    windows.onAck(server.name(), ack.getMemoryUsedPermille(), now);
    countWait(server, ack);
    unacknowledged.release(answered.sending().frame());
    failover.onFull(server, ack.getFullPartitionsList());
  }

  private void countWait(PushServer server, PushAck ack) {
    if (ack.getMemoryUsedPermille() < PushWindows.HIGH_PERMILLE) {
      waits.answered(server.name());
    } else if (ack.getSpilling()) {
      waits.usedDisk(server.name(), Long.MAX_VALUE);
    } else {
      waits.shortOfMemory(server.name());
    }
  }

  private void onFailure(PushServer server, Answered answered, long now) throws IOException {
    waits.answered(server.name());
    Throwable cause = unwrapped(answered.failure());
    Sending sending = answered.sending();
    server.enqueue(sending);
    retries++;
    if (!(cause instanceof SluiceException refusal)) {
      // Every frame of a lost connection fails; the loss counts once.
      if (server.session().connection() == answered.connection()) {
        server.session().disconnected();
        retryConnection(server, cause, now);
      }
      return;
    }
    Failure failure = Failure.of(refusal);
    switch (refusal.code().onPush()) {
      case WAIT -> backOff(server, config.busyRetry(), failure, now);
      case WAIT_BRIEFLY -> waitForSpace(server, failure, now);
      case RETRY -> retryConnection(server, cause, now);
      case RECONNECT -> {
        server.session().disconnected();
        retryConnection(server, cause, now);
      }
      case RENEW -> {
        if (server.session().connection() == answered.connection()) {
          server.session().disconnected();
        }
      }
      case RESEND -> {
        if (sending.countDamage() >= MAX_CORRUPT_ATTEMPTS) {
          failover.giveUp(server, failure);
        }
      }
      case FAIL_OVER -> failover.giveUp(server, failure);
      case DELETED -> {
        if (server.hasAcknowledged()) {
          failover.giveUpLost(server, failure);
        } else {
          failover.giveUp(server, failure);
        }
      }
    }
  }

  private static Throwable unwrapped(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  private void retryConnection(PushServer server, Throwable cause, long now) throws IOException {
    backOff(server, config.connectionRetry(), Failure.of(cause), now);
  }

  /** Unlike a restart, a full disk seldom ends soon, and other servers may have space. */
  private void waitForSpace(PushServer server, Failure failure, long now) throws IOException {
    RetryPolicy retry = failover.hasAlternative() ? config.connectionRetry() : config.busyRetry();
    if (failover.mayGiveUpEarly() && !server.mustWait()) {
      RetryPolicy brief = retry.within(retry.retryPeriodMs() / SHARE_WITHOUT_SPACE);
      backOff(server, brief, failure.asEarly(), now);
    } else {
      backOff(server, retry, failure, now);
    }
  }

  /** Backs off, or gives the server up: after the policy's limits, or when other tasks did so. */
  private void backOff(PushServer server, RetryPolicy policy, Failure failure, long now)
      throws IOException {
    ServerSession session = server.session();
    if (!session.failed(now)) {
      return;
    }
    if (session.isExhausted(policy, now)) {
      failover.giveUp(server, failure);
    } else if (!server.mustWait()
        && failover.mayGiveUpEarly()
        && health.isFailing(server.server())) {
      failover.giveUp(server, new Failure(failure.code(), failure.cause(), true, true));
    } else {
      session.backOff(policy, now);
    }
  }

  /** Gives up servers whose probe is overdue, and sends every frame that may be sent. */
  @Override
  public void advance(long now) throws IOException {
    endProbes(now);
    // A server that is given up here may move its frames to a server earlier in this loop.
    boolean changed = true;
    while (changed) {
      changed = false;
      for (int i = 0; i < failover.servers().size(); i++) {
        PushServer server = failover.servers().get(i);
        boolean wasOpen = server.isOpen();
        send(server, now);
        changed |= wasOpen && !server.isOpen();
      }
    }
  }

  private void endProbes(long now) throws IOException {
    for (int i = 0; i < failover.servers().size(); i++) {
      PushServer server = failover.servers().get(i);
      if (server.isOpen() && server.hasFrames() && server.session().isOverdue(now)) {
        ConnectionLostException cause =
            new ConnectionLostException(
                "no reply within " + PROBE_MS + " ms, and other tasks gave the server up");
        failover.giveUp(server, new Failure(StatusCode.BUSY, cause, true, true));
      }
    }
  }

  private void send(PushServer server, long now) throws IOException {
    ServerSession session = server.session();
    if (!server.isOpen()
        || !server.hasUnsent()
        || session.isConnecting()
        || (server.startOnce() && !mayStart(server, now))
        || !session.maySend(now)
        || (!session.isConnected() && !connect(server, now))) {
      return;
    }
    long window = windows.bytes(server.name());
    DataConnection connection = session.connection();
    while (server.hasUnsent() && server.fits(window)) {
      Sending sending = server.sendNext(now);
      if (sending.frame().length() > connection.maxBodyLength()) {
        failover.giveUp(
            server,
            Failure.of(
                new SluiceException(
                    StatusCode.FRAME_TOO_LARGE,
                    "the frame of "
                        + sending.frame().length()
                        + " bytes exceeds the server's limit of "
                        + connection.maxBodyLength()
                        + " bytes; set rss.client.send.size.limit to at most this limit")));
        return;
      }
      sentBytes += sending.frame().length();
      sentFrames++;
      waits.exchanged(server.name(), sending.frame().length());
      Push head = Push.newBuilder().setShuffle(shuffle).setEpoch(server.epoch()).build();
      CompletableFuture<PushAck> unused =
          connection
              .push(head, sending.frame().body())
              .whenComplete(
                  (ack, failure) ->
                      events.accept(new Answered(server, sending, connection, ack, failure)));
    }
  }

  /** Requests a connection from the pool; true if one is open already. */
  private boolean connect(PushServer server, long now) throws IOException {
    server.session().connecting();
    CompletableFuture<DataConnection> made = pool.connection(server.server(), connectionSlot);
    if (made.isDone() && !made.isCompletedExceptionally()) {
      onConnected(new Connected(server, made.join(), null), now);
      return server.session().isConnected();
    }
    CompletableFuture<DataConnection> unused =
        made.whenComplete(
            (connection, failure) -> events.accept(new Connected(server, connection, failure)));
    return false;
  }

  /**
   * Checks before the first push whether other tasks gave the server up. If so, this session probes
   * the server with a short timeout, or skips it if it was probed recently.
   */
  private boolean mayStart(PushServer server, long now) throws IOException {
    if (!failover.mayGiveUpEarly() || !health.isFailing(server.server())) {
      return true;
    }
    if (health.mayProbe(server.server())) {
      server.session().expectReplyBy(now + TimeUnit.MILLISECONDS.toNanos(PROBE_MS));
      return true;
    }
    ConnectionLostException cause =
        new ConnectionLostException("other tasks gave the server up and probed it recently");
    failover.giveUp(server, new Failure(StatusCode.BUSY, cause, false, true));
    return false;
  }

  /**
   * @param waitNanos time that the task waited for servers
   */
  PushCounters counters(BlockFramer framer, long waitNanos) {
    return new PushCounters(
        framer.uncompressedBytes(),
        framer.blockBytes(),
        framer.blocks(),
        framer.records(),
        sentBytes,
        sentFrames,
        retries,
        waitNanos,
        new PushCounters.Rerouted(
            failover.localBytes(),
            failover.localFrames(),
            failover.replacementServers(),
            failover.reroutedFrames()),
        waits.times());
  }

  /** Frees every frame; replies that still arrive are ignored. Idempotent. */
  void close() {
    if (closed) {
      return;
    }
    closed = true;
    for (PushServer server : failover.servers()) {
      for (Sending sending : server.end()) {
        unacknowledged.release(sending.frame());
      }
    }
  }
}
