package io.sluice.client.push;

import io.netty.buffer.ByteBuf;
import io.sluice.client.ConnectionPool;
import io.sluice.client.RetryPolicy;
import io.sluice.client.push.ServerLane.Sending;
import io.sluice.client.transport.ConnectionLostException;
import io.sluice.client.transport.DataConnection;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.Push;
import io.sluice.proto.PushAck;
import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleId;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the frames of one session to every server of their set, keeps each until all have
 * acknowledged it, and sends it again when it may have been lost. Owned by the task thread, which
 * does everything here; transport threads only put events into a queue, which is bounded by the
 * frames in flight.
 *
 * <p>A server that was started again says since which of its epochs nothing acknowledged is
 * missing. If that covers what it acknowledged here, as after a clean stop, the session goes on
 * under the new epoch and sends the rest again; if not, as after a crash, the attempt fails.
 */
final class FrameSender {
  private static final Logger LOG = LoggerFactory.getLogger(FrameSender.class);

  /** A frame that arrives damaged again and again is damaged here. */
  private static final int MAX_CORRUPT_ATTEMPTS = 5;

  private final ShuffleId shuffle;
  private final MapAttempt attempt;
  private final ReplicaSets sets;
  private final PushConfig config;
  private final ConnectionPool pool;
  private final PushWindows windows;
  private final LongSupplier nanoTime;
  private final int poolLane;
  private final ServerLane[] lanes;
  private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
  private long heldBytes;
  private long nextFrame;
  private int openFrames;
  private boolean closed;
  private long sentBytes;
  private long sentFrames;
  private long retries;
  private long waitNanos;

  /** Something that a transport thread reports; handled by the task thread. */
  private sealed interface Event {
    ServerLane lane();
  }

  private record Connected(ServerLane lane, DataConnection connection, Throwable failure)
      implements Event {}

  private record Answered(
      ServerLane lane, Sending sending, DataConnection connection, PushAck ack, Throwable failure)
      implements Event {}

  FrameSender(
      ShuffleId shuffle,
      List<ServerId> servers,
      ReplicaSets sets,
      MapAttempt attempt,
      PushConfig config,
      ConnectionPool pool,
      PushWindows windows,
      LongSupplier nanoTime) {
    this.shuffle = shuffle;
    this.attempt = attempt;
    this.sets = sets;
    this.config = config;
    this.pool = pool;
    this.windows = windows;
    this.nanoTime = nanoTime;
    this.poolLane = pool.nextLane();
    this.lanes = new ServerLane[servers.size()];
    for (int i = 0; i < lanes.length; i++) {
      lanes[i] = new ServerLane(i, servers.get(i));
    }
  }

  /**
   * Queues a frame and sends what may be sent; waits while the session holds more than it may.
   *
   * @param body takes
   */
  void send(int set, ByteBuf body) throws PushFailedException, InterruptedIOException {
    Frame frame = new Frame(nextFrame++, set, body);
    heldBytes += frame.heldBytes();
    openFrames++;
    for (int server : sets.servers(set)) {
      ServerLane lane = lanes[server];
      if (!lane.isGivenUp()) {
        frame.addReplica();
        lane.enqueue(new Sending(frame));
      }
    }
    handleEvents();
    pumpAll();
    while (heldBytes > config.inFlightBytes() && openFrames > 0) {
      await();
    }
  }

  /** Handles what has come in since, without waiting. */
  void poll() throws PushFailedException {
    if (!events.isEmpty()) {
      handleEvents();
      pumpAll();
    }
  }

  /** Waits until every frame is acknowledged. */
  void drain() throws PushFailedException, InterruptedIOException {
    handleEvents();
    pumpAll();
    while (openFrames > 0) {
      await();
    }
  }

  /** Waits for one event or the next due retry, and handles what there is. */
  private void await() throws PushFailedException, InterruptedIOException {
    long start = nanoTime.getAsLong();
    long waitFor = TimeUnit.MILLISECONDS.toNanos(config.busyRetry().patienceMs());
    boolean retryDue = false;
    for (ServerLane lane : lanes) {
      if (lane.hasUnsent() && !lane.isConnecting()) {
        long due = lane.notBeforeNanos() - start;
        if (lane.isBackingOff() && due < waitFor) {
          waitFor = Math.max(0, due);
          retryDue = true;
        }
      }
    }
    Event event;
    try {
      event = events.poll(waitFor, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted =
          new InterruptedIOException("interrupted while waiting for shuffle servers");
      interrupted.initCause(e);
      throw interrupted;
    } finally {
      waitNanos += nanoTime.getAsLong() - start;
    }
    if (event == null && !retryDue) {
      ServerLane lane = firstWaiting();
      throw failed(
          lane,
          StatusCode.BUSY,
          "did not answer within " + config.busyRetry().patienceMs() + " ms",
          null);
    }
    if (event != null) {
      handle(event);
    }
    handleEvents();
    pumpAll();
  }

  private ServerLane firstWaiting() {
    for (ServerLane lane : lanes) {
      if (lane.isWaiting()) {
        return lane;
      }
    }
    throw new IllegalStateException("frames are open although no server has any to acknowledge");
  }

  private void handleEvents() throws PushFailedException {
    for (Event event = events.poll(); event != null; event = events.poll()) {
      handle(event);
    }
  }

  private void handle(Event event) throws PushFailedException {
    ServerLane lane = event.lane();
    if (lane.isGivenUp()) {
      return;
    }
    if (event instanceof Connected connected) {
      onConnected(lane, connected);
    } else if (event instanceof Answered answered) {
      lane.onAnswered(answered.sending());
      if (answered.failure() == null) {
        onAck(lane, answered);
      } else {
        onFailure(lane, answered);
      }
    }
  }

  private void onConnected(ServerLane lane, Connected connected) throws PushFailedException {
    if (connected.failure() != null) {
      lane.disconnected();
      Throwable cause = unwrapped(connected.failure());
      StatusCode code = cause instanceof SluiceException refusal ? refusal.code() : null;
      if (code == null) {
        retryConnection(lane, cause);
      } else {
        switch (code.retry()) {
          case SAME_SERVER, OTHER_COPY, REOPEN -> retryConnection(lane, cause);
          case NEVER, OTHER_SERVER -> giveUp(lane, code, cause);
        }
      }
      return;
    }
    DataConnection connection = connected.connection();
    if (!lane.canGoOn(connection)) {
      giveUp(
          lane,
          StatusCode.STALE_EPOCH,
          new ConnectionLostException(
              "the server was started again: epoch "
                  + connection.epoch()
                  + " follows "
                  + lane.epoch()
                  + ", and with it went what it had acknowledged"));
      return;
    }
    if (lane.epochKnown() && lane.epoch() != connection.epoch()) {
      LOG.info(
          "push goes on after a restart app={} shuffle={} attempt={} server={} epoch={}"
              + " wholeSinceEpoch={}",
          shuffle.getApplication(),
          shuffle.getShuffle(),
          attempt.id(),
          lane.name(),
          connection.epoch(),
          connection.wholeSinceEpoch());
    }
    lane.connected(connection);
  }

  private void onAck(ServerLane lane, Answered answered) throws PushFailedException {
    PushAck ack = answered.ack();
    if (ack.getEpoch() != answered.connection().epoch()) {
      lane.enqueue(answered.sending());
      giveUp(
          lane,
          StatusCode.STALE_EPOCH,
          new ConnectionLostException(
              "acknowledged in epoch "
                  + ack.getEpoch()
                  + ", expected "
                  + answered.connection().epoch()));
      return;
    }
    if (!lane.stillHolds(ack.getEpoch())) {
      // Late word of a life that is over: it is gone with it, and nothing before it was known.
      lane.enqueue(answered.sending());
      return;
    }
    lane.acknowledged(ack.getEpoch());
    windows.onAck(lane.name(), ack.getMemoryUsedPermille(), nanoTime.getAsLong());
    releaseReplica(answered.sending().frame());
  }

  private void onFailure(ServerLane lane, Answered answered) throws PushFailedException {
    Throwable cause = unwrapped(answered.failure());
    Sending sending = answered.sending();
    lane.enqueue(sending);
    retries++;
    if (!(cause instanceof SluiceException refusal)) {
      // Every frame of a lost connection fails: the loss counts once.
      if (lane.connection() == answered.connection()) {
        lane.disconnected();
        retryConnection(lane, cause);
      }
      return;
    }
    StatusCode code = refusal.code();
    switch (code) {
      case BUSY, NO_SPACE -> retryBusy(lane, code, cause);
      case BLOCK_CORRUPT, FRAME_CORRUPT -> {
        if (sending.countDamage() >= MAX_CORRUPT_ATTEMPTS) {
          giveUp(lane, code, cause);
        }
      }
      case STALE_EPOCH -> {
        lane.disconnected();
        retryConnection(lane, cause);
      }
      // A server that stops may come back in a moment with everything that it has.
      case DRAINING, STORAGE_FAILED, INTERNAL -> retryConnection(lane, cause);
      case OK,
          PARTITION_FULL,
          NO_SERVERS,
          NEVER_WRITTEN,
          UNKNOWN_APPLICATION,
          EXPIRED,
          LOST,
          OUT_OF_RANGE,
          FRAME_TOO_LARGE,
          BAD_VERSION,
          BAD_MESSAGE,
          BAD_REQUEST,
          DENIED ->
          giveUp(lane, code, cause);
    }
  }

  private static Throwable unwrapped(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  private void retryConnection(ServerLane lane, Throwable cause) throws PushFailedException {
    StatusCode code =
        cause instanceof SluiceException refusal ? refusal.code() : StatusCode.INTERNAL;
    backOff(lane, config.connectionRetry(), code, cause);
  }

  private void retryBusy(ServerLane lane, StatusCode code, Throwable cause)
      throws PushFailedException {
    backOff(lane, config.busyRetry(), code, cause);
  }

  private void backOff(ServerLane lane, RetryPolicy policy, StatusCode code, Throwable cause)
      throws PushFailedException {
    long now = nanoTime.getAsLong();
    if (lane.isBackingOff() && now - lane.notBeforeNanos() < 0) {
      // Frames that were sent together are refused together: that counts once.
      return;
    }
    lane.failed(now);
    long failingMs = TimeUnit.NANOSECONDS.toMillis(now - lane.failingSinceNanos());
    if (lane.failures() >= policy.maxAttempts() || failingMs >= policy.patienceMs()) {
      giveUp(lane, code, cause);
      return;
    }
    lane.backOffUntil(now + TimeUnit.MILLISECONDS.toNanos(policy.delayMs(lane.failures())));
  }

  /** Goes on without a server where enough replicas are left, else fails the attempt. */
  private void giveUp(ServerLane lane, StatusCode code, Throwable cause)
      throws PushFailedException {
    for (Sending sending : lane.giveUp()) {
      releaseReplica(sending.frame());
    }
    for (int set = 0; set < sets.count(); set++) {
      int alive = 0;
      boolean concerned = false;
      for (int server : sets.servers(set)) {
        concerned |= server == lane.index();
        alive += lanes[server].isGivenUp() ? 0 : 1;
      }
      if (concerned && alive < config.writeQuorum()) {
        throw failed(lane, code, cause.getMessage(), cause);
      }
    }
    LOG.warn(
        "replica given up, others go on app={} shuffle={} attempt={} server={} code={} reason={}",
        shuffle.getApplication(),
        shuffle.getShuffle(),
        attempt.id(),
        lane.name(),
        code,
        cause.getMessage());
  }

  private PushFailedException failed(
      ServerLane lane, StatusCode code, String reason, Throwable cause) {
    return new PushFailedException(
        lane.name(),
        code,
        "push failed app="
            + shuffle.getApplication()
            + " shuffle="
            + shuffle.getShuffle()
            + " attempt="
            + attempt.id()
            + " server="
            + lane.name()
            + " code="
            + code
            + " failures="
            + lane.failures()
            + ": "
            + reason,
        cause);
  }

  private void releaseReplica(Frame frame) {
    if (frame.releaseReplica()) {
      heldBytes -= frame.heldBytes();
      openFrames--;
    }
  }

  private void pumpAll() throws PushFailedException {
    for (ServerLane lane : lanes) {
      pump(lane);
    }
  }

  private void pump(ServerLane lane) throws PushFailedException {
    if (!lane.hasUnsent() || lane.isConnecting()) {
      return;
    }
    if (lane.isBackingOff()) {
      if (nanoTime.getAsLong() - lane.notBeforeNanos() < 0) {
        return;
      }
      lane.backOffEnded();
    }
    if (lane.connection() == null || !lane.connection().isOpen()) {
      lane.connecting();
      CompletableFuture<DataConnection> unused =
          pool.connection(lane.server(), poolLane)
              .whenComplete(
                  (connection, failure) -> events.add(new Connected(lane, connection, failure)));
      if (events.isEmpty()) {
        return;
      }
      // Nearly always there is a connection already: no need to come back for it.
      handleEvents();
      if (lane.connection() == null) {
        return;
      }
    }
    long window = windows.bytes(lane.name());
    DataConnection connection = lane.connection();
    while (lane.hasUnsent() && lane.mayTake(window)) {
      Sending sending = lane.next();
      if (sending.frame().length() > connection.maxBodyLength()) {
        giveUp(
            lane,
            StatusCode.FRAME_TOO_LARGE,
            new SluiceException(
                StatusCode.FRAME_TOO_LARGE,
                "the server takes bodies of at most "
                    + connection.maxBodyLength()
                    + " bytes; set rss.client.send.size.limit to that or less"));
        return;
      }
      sentBytes += sending.frame().length();
      sentFrames++;
      Push head = Push.newBuilder().setShuffle(shuffle).setEpoch(lane.epoch()).build();
      CompletableFuture<PushAck> unused =
          connection
              .push(head, sending.frame().body())
              .whenComplete(
                  (ack, failure) ->
                      events.add(new Answered(lane, sending, connection, ack, failure)));
    }
  }

  long sentBytes() {
    return sentBytes;
  }

  long sentFrames() {
    return sentFrames;
  }

  long retries() {
    return retries;
  }

  long waitNanos() {
    return waitNanos;
  }

  /** Bytes of frames that are held. */
  long heldBytes() {
    return heldBytes;
  }

  /** Frees every frame; answers that still come are ignored. Idempotent. */
  void close() {
    if (closed) {
      return;
    }
    closed = true;
    for (ServerLane lane : lanes) {
      for (Sending sending : lane.giveUp()) {
        releaseReplica(sending.frame());
      }
    }
  }
}
