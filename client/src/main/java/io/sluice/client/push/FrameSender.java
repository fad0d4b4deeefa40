package io.sluice.client.push;

import io.netty.buffer.ByteBuf;
import io.sluice.client.ConnectionPool;
import io.sluice.client.RetryPolicy;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.memory.DirectMemory;
import io.sluice.client.push.ServerLane.Sending;
import io.sluice.client.transport.ConnectionLostException;
import io.sluice.client.transport.DataConnection;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.Push;
import io.sluice.proto.PushAck;
import io.sluice.proto.ShuffleId;
import java.io.IOException;
import java.io.InterruptedIOException;
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
 * under the new epoch and sends the rest again; if not, as after a crash, the attempt fails. A
 * server that takes nothing within its patience is passed by, see {@link Detours}.
 */
final class FrameSender {
  private static final Logger LOG = LoggerFactory.getLogger(FrameSender.class);

  /** A frame that arrives damaged again and again is damaged here. */
  private static final int MAX_CORRUPT_ATTEMPTS = 5;

  /** Time for a server that is known to be failing: a healthy one answers in far less. */
  private static final long PROBE_MS = 2_000;

  private final ShuffleId shuffle;
  private final MapAttempt attempt;
  private final PushConfig config;
  private final ConnectionPool pool;
  private final PushWindows windows;
  private final ServerHealth health;
  private final LongSupplier nanoTime;
  private final boolean mayPassBy;
  private final int poolLane;
  private final DirectMemory memory;
  private final HeldFrames held;
  private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
  private final Detours detours;
  private long nextFrame;
  private boolean closed;
  private long sentBytes;
  private long sentFrames;
  private long retries;
  private long waitNanos;

  /** Something that another thread reports; handled by the task thread. */
  private sealed interface Event {}

  private record Connected(ServerLane lane, DataConnection connection, Throwable failure)
      implements Event {}

  private record Answered(
      ServerLane lane, Sending sending, DataConnection connection, PushAck ack, Throwable failure)
      implements Event {}

  private record Further(Detours.Answer answer) implements Event {}

  /**
   * @param givesUpSoon whether a server that is known to be failing need not be waited for even if
   *     there is no other way
   */
  FrameSender(
      ShuffleAssignment assignment,
      MapAttempt attempt,
      PushConfig config,
      PushOptions options,
      boolean givesUpSoon,
      PushEnvironment environment) {
    this.shuffle = assignment.shuffle();
    this.attempt = attempt;
    this.config = config;
    this.pool = environment.pool();
    this.windows = environment.windows();
    this.health = environment.health();
    this.nanoTime = environment.nanoTime();
    this.poolLane = pool.nextLane();
    this.memory = environment.memory();
    this.held = new HeldFrames(memory);
    this.detours =
        new Detours(
            assignment,
            attempt,
            config.writeQuorum(),
            givesUpSoon,
            options,
            health,
            held,
            answer -> events.add(new Further(answer)));
    this.mayPassBy = detours.mayPassBy();
  }

  /** The sets that frames are to be cut for. */
  ReplicaSets sets() {
    return detours.sets();
  }

  /** Whether frames should be cut for other sets from now on. */
  boolean hasNewSets() {
    return detours.hasNewSets();
  }

  /** Changes over to the new sets, once all frames for the old ones have been sent. */
  ReplicaSets switchSets() {
    return detours.switchSets();
  }

  /**
   * Queues a frame and sends what may be sent; waits while the session holds more than it may, or
   * anything while the process does.
   *
   * @param body takes
   * @throws IOException if there is no way for a frame
   */
  void send(int set, ByteBuf body) throws IOException {
    Frame frame = new Frame(nextFrame++, detours.sets().servers(set), body);
    held.add(frame);
    try {
      detours.distribute(frame);
    } finally {
      held.release(frame);
    }
    handleEvents();
    pumpAll();
    awaitHeldAtMost(config.inFlightBytes());
    while (held.count() > 0 && memory.isExceeded()) {
      await();
    }
  }

  /** Memory of the frames that somebody has yet to acknowledge. */
  long heldBytes() {
    return held.bytes();
  }

  /** Waits until they take no more than that. */
  void awaitHeldAtMost(long bytes) throws IOException {
    while (held.bytes() > bytes && held.count() > 0) {
      await();
    }
  }

  /** Handles what has come in since, without waiting. */
  void poll() throws IOException {
    if (!events.isEmpty()) {
      handleEvents();
      pumpAll();
    }
  }

  /** Waits until every frame is acknowledged, or safe in local output. */
  void drain() throws IOException {
    handleEvents();
    pumpAll();
    while (held.count() > 0) {
      await();
    }
  }

  /** Waits for one event or the next thing that is due, and handles what there is. */
  private void await() throws IOException {
    long start = nanoTime.getAsLong();
    long waitFor = TimeUnit.MILLISECONDS.toNanos(config.busyRetry().patienceMs());
    boolean due = false;
    for (ServerLane lane : detours.lanes()) {
      long until = dueNanos(lane, start);
      if (until < waitFor) {
        waitFor = Math.max(0, until);
        due = true;
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
    if (event != null) {
      handle(event);
    } else if (!due) {
      onSilence();
    }
    handleEvents();
    endProbes();
    pumpAll();
  }

  /** Time until the lane's next retry or the end of its probe. */
  private static long dueNanos(ServerLane lane, long now) {
    if (!lane.isOpen() || !lane.isWaiting()) {
      return Long.MAX_VALUE;
    }
    long due = Long.MAX_VALUE;
    if (lane.isProbing()) {
      due = lane.probeUntilNanos() - now;
    }
    if (lane.hasUnsent() && !lane.isConnecting() && lane.isBackingOff()) {
      due = Math.min(due, lane.notBeforeNanos() - now);
    }
    return due;
  }

  private void endProbes() throws IOException {
    long now = nanoTime.getAsLong();
    for (int i = 0; i < detours.lanes().size(); i++) {
      ServerLane lane = detours.lanes().get(i);
      if (lane.isOpen()
          && lane.isProbing()
          && lane.isWaiting()
          && now - lane.probeUntilNanos() >= 0) {
        detours.giveUp(
            lane,
            StatusCode.BUSY,
            new ConnectionLostException(
                "did not answer within " + PROBE_MS + " ms, and is known to be failing"),
            true,
            true);
      }
    }
  }

  /** Nobody has said anything for the whole patience. */
  private void onSilence() throws IOException {
    boolean any = false;
    for (int i = 0; i < detours.lanes().size(); i++) {
      ServerLane lane = detours.lanes().get(i);
      if (lane.isWaiting()) {
        any = true;
        if (lane.isStopped()) {
          detours.noFurtherServer(lane);
        } else {
          giveUp(
              lane,
              StatusCode.BUSY,
              new ConnectionLostException(
                  "did not answer within " + config.busyRetry().patienceMs() + " ms"));
        }
      }
    }
    if (!any) {
      throw new IllegalStateException("frames are held although no server has any to acknowledge");
    }
  }

  private void handleEvents() throws IOException {
    for (Event event = events.poll(); event != null; event = events.poll()) {
      handle(event);
    }
  }

  private void handle(Event event) throws IOException {
    if (event instanceof Further further) {
      detours.onAnswer(further.answer());
    } else if (event instanceof Connected connected) {
      if (connected.lane().isOpen()) {
        onConnected(connected.lane(), connected);
      }
    } else if (event instanceof Answered answered) {
      ServerLane lane = answered.lane();
      if (lane.isOpen() && lane.onAnswered(answered.sending())) {
        if (answered.failure() == null) {
          onAck(lane, answered);
        } else {
          onFailure(lane, answered);
        }
      }
    }
  }

  private void onConnected(ServerLane lane, Connected connected) throws IOException {
    if (connected.failure() != null) {
      lane.disconnected();
      Throwable cause = unwrapped(connected.failure());
      StatusCode code = cause instanceof SluiceException refusal ? refusal.code() : null;
      if (code == null) {
        retryConnection(lane, cause);
      } else {
        switch (code.onPush()) {
          case WAIT, WAIT_BRIEFLY, RETRY, RECONNECT, RESEND -> retryConnection(lane, cause);
          case FAIL_OVER, DELETED ->
              // Other sessions of this process have the same credential.
              detours.giveUp(lane, code, cause, code == StatusCode.DENIED, false);
        }
      }
      return;
    }
    DataConnection connection = connected.connection();
    if (!lane.canGoOn(connection)) {
      detours.giveUpLost(
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

  private void onAck(ServerLane lane, Answered answered) throws IOException {
    PushAck ack = answered.ack();
    if (ack.getEpoch() != answered.connection().epoch()) {
      lane.enqueue(answered.sending());
      detours.giveUpLost(
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
    health.answered(lane.server());
    windows.onAck(lane.name(), ack.getMemoryUsedPermille(), nanoTime.getAsLong());
    held.release(answered.sending().frame());
    detours.onFull(lane, ack.getFullPartitionsList());
  }

  private void onFailure(ServerLane lane, Answered answered) throws IOException {
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
    switch (code.onPush()) {
      case WAIT -> backOff(lane, config.busyRetry(), code, cause);
      case WAIT_BRIEFLY ->
          backOff(lane, mayPassBy ? config.connectionRetry() : config.busyRetry(), code, cause);
      case RETRY -> retryConnection(lane, cause);
      case RECONNECT -> {
        lane.disconnected();
        retryConnection(lane, cause);
      }
      case RESEND -> {
        if (sending.countDamage() >= MAX_CORRUPT_ATTEMPTS) {
          giveUp(lane, code, cause);
        }
      }
      case FAIL_OVER -> giveUp(lane, code, cause);
      case DELETED -> {
        if (lane.hasAcknowledged()) {
          detours.giveUpLost(lane, code, cause);
        } else {
          giveUp(lane, code, cause);
        }
      }
    }
  }

  private static Throwable unwrapped(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  private void retryConnection(ServerLane lane, Throwable cause) throws IOException {
    StatusCode code =
        cause instanceof SluiceException refusal ? refusal.code() : StatusCode.INTERNAL;
    backOff(lane, config.connectionRetry(), code, cause);
  }

  private void backOff(ServerLane lane, RetryPolicy policy, StatusCode code, Throwable cause)
      throws IOException {
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
    if (!lane.isPatient() && detours.mayGiveUpSoon() && health.isFailing(lane.server())) {
      detours.giveUp(lane, code, cause, true, true);
      return;
    }
    lane.backOffUntil(now + TimeUnit.MILLISECONDS.toNanos(policy.delayMs(lane.failures())));
  }

  private void giveUp(ServerLane lane, StatusCode code, Throwable cause) throws IOException {
    detours.giveUp(lane, code, cause, code.onPush().isServersFault(), false);
  }

  private void pumpAll() throws IOException {
    // Events that are handled on the way may add lanes.
    for (int i = 0; i < detours.lanes().size(); i++) {
      pump(detours.lanes().get(i));
    }
  }

  private void pump(ServerLane lane) throws IOException {
    if (!lane.isOpen() || !lane.hasUnsent() || lane.isConnecting()) {
      return;
    }
    if (!startsWell(lane)) {
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

  /**
   * Looks before the first push whether others have given the server up: then it is passed by, or,
   * once in a while, given a short time to prove itself.
   */
  private boolean startsWell(ServerLane lane) throws IOException {
    if (lane.isStarted()) {
      return true;
    }
    lane.started();
    if (!detours.mayGiveUpSoon() || !health.isFailing(lane.server())) {
      return true;
    }
    if (health.mayTry(lane.server())) {
      lane.probeUntil(nanoTime.getAsLong() + TimeUnit.MILLISECONDS.toNanos(PROBE_MS));
      return true;
    }
    detours.giveUp(
        lane,
        StatusCode.BUSY,
        new ConnectionLostException("known to be failing, and was tried a moment ago"),
        false,
        true);
    return false;
  }

  PushCounters counters(BlockFramer framer) {
    return new PushCounters(
        framer.contentBytes(),
        framer.blockBytes(),
        framer.blocks(),
        framer.records(),
        sentBytes,
        sentFrames,
        retries,
        waitNanos,
        detours.localBytes(),
        detours.localFrames(),
        detours.furtherServers(),
        detours.reroutedFrames());
  }

  /** Whether some server may still take frames of a set. */
  boolean hasWay(int set) {
    return detours.hasWay(set);
  }

  /** Frees every frame; answers that still come are ignored. Idempotent. */
  void close() {
    if (closed) {
      return;
    }
    closed = true;
    for (ServerLane lane : detours.lanes()) {
      for (Sending sending : lane.end()) {
        held.release(sending.frame());
      }
    }
  }
}
