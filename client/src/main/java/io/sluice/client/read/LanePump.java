package io.sluice.client.read;

import com.google.protobuf.ByteString;
import io.sluice.client.ConnectionPool;
import io.sluice.client.file.RunFileSource;
import io.sluice.client.read.MissingBlocks.Reason;
import io.sluice.client.transport.DataConnection;
import io.sluice.client.transport.FetchedBody;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.common.frame.AttemptSets;
import io.sluice.common.frame.FrameType;
import io.sluice.proto.Open;
import io.sluice.proto.OpenReply;
import io.sluice.proto.RunFileKind;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.roaringbitmap.longlong.Roaring64NavigableMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps requests on their way to every server, and handles what comes back. Owned by the task
 * thread; replies reach it through the mailbox.
 */
final class LanePump {
  private static final Logger LOG = LoggerFactory.getLogger(LanePump.class);

  /** Maximum length of the wanted attempts of an Open; the rest of its head is for partitions. */
  private static final int MAX_WANTED_BYTES = FrameType.OPEN.maxHeadLength() - (64 << 10);

  /** A disk with a queue may take so long. */
  private static final long MIN_STALL_MS = 1000;

  private final ReadState state;
  private final ConnectionPool pool;
  private final int poolLane;
  private final LaneFailures failures;
  private final OpenReplies replies;

  LanePump(ReadState state, ConnectionPool pool, int poolLane) {
    this.state = state;
    this.pool = pool;
    this.poolLane = poolLane;
    this.failures = new LaneFailures(state);
    this.replies = new OpenReplies(state);
  }

  void pumpAll() throws IOException {
    boolean more = true;
    // One slice for each server in turn, so that one does not get all.
    while (more) {
      more = false;
      for (int i = 0; i < state.lanes.size(); i++) {
        more |= pump(state.lanes.get((state.firstLane + i) % state.lanes.size()));
      }
    }
  }

  /** Sends what may be sent; true if there may be more. */
  private boolean pump(ReadLane lane) throws IOException {
    if (lane.isIdle() || lane.isConnecting()) {
      return false;
    }
    if (lane.isBackingOff()) {
      if (state.nanoTime.getAsLong() - lane.notBeforeNanos() < 0) {
        return false;
      }
      lane.backOffEnded();
    }
    if (lane.connection() == null || !lane.connection().isOpen()) {
      if (!wantsConnection(lane)) {
        return false;
      }
      if (failures.passesBy(lane)) {
        return true;
      }
      lane.heard(state.nanoTime.getAsLong());
      lane.connecting();
      CompletableFuture<DataConnection> unused =
          pool.connection(lane.server(), poolLane)
              .whenComplete(
                  (made, failed) -> state.mailbox.put(new ReadEvent.Connected(lane, made, failed)));
      // Nearly always there is a connection already: no need to come back for it. What else has
      // come may concern state.lanes that had their turn.
      return handleEvents();
    }
    DataConnection connection = lane.connection();
    if (lane.hasToOpen() && !lane.isOpening()) {
      sendOpen(lane, connection);
    }
    for (Slice slice : lane.slices()) {
      if (slice.state() == Slice.State.TO_SEND) {
        sendFetch(lane, connection, slice);
      }
    }
    if (lane.hasTodo() && state.mayHoldMore()) {
      Slice slice = lane.nextSlice(Math.min(state.config.sliceBytes(), connection.maxBodyLength()));
      state.hold(slice);
      sendFetch(lane, connection, slice);
      return lane.hasTodo() && state.mayHoldMore();
    }
    return false;
  }

  private boolean wantsConnection(ReadLane lane) {
    return lane.hasToOpen()
        || (lane.hasTodo() && state.mayHoldMore())
        || lane.slices().stream().anyMatch(slice -> slice.state() == Slice.State.TO_SEND);
  }

  private void sendOpen(ReadLane lane, DataConnection connection) {
    List<PartitionVisit> visits = lane.startOpening();
    Open.Builder open =
        Open.newBuilder().setShuffle(state.shuffle).setAssignedEpoch(lane.server().getEpoch());
    if (state.request.hasMapRange()) {
      open.setWantSliceMarks(true)
          .setFirstMapIndex(state.request.firstMapIndex())
          .setEndMapIndex(state.request.endMapIndex());
    }
    List<RunFileKind> kinds =
        state.files.kinds(
            new RunFileSource(
                lane.server(), connection.localSocket(), state.shuffle, connection.epoch()));
    int waitMs = state.waitLeftMs();
    Roaring64NavigableMap wanted =
        waitMs > 0 ? WantedAttempts.of(state.request, visits) : new Roaring64NavigableMap();
    ByteString attempts = wanted.isEmpty() ? ByteString.EMPTY : AttemptSets.encode(wanted);
    // More than a head may have: the server answers at once, and local output has the rest.
    if (!attempts.isEmpty() && attempts.size() <= MAX_WANTED_BYTES) {
      open.setMaxWaitMs(waitMs)
          .setWantedPermille(state.request.wantedPermille())
          .setWantedAttempts(attempts);
    }
    open.setWantExtents(!kinds.isEmpty()).addAllWantFileKinds(kinds);
    visits.forEach(visit -> open.addPartitions(visit.partition()));
    state.opens++;
    lane.heard(state.nanoTime.getAsLong() + TimeUnit.MILLISECONDS.toNanos(open.getMaxWaitMs()));
    CompletableFuture<OpenReply> unused =
        connection
            .open(open.build())
            .whenComplete(
                (reply, failed) ->
                    state.mailbox.put(
                        new ReadEvent.Opened(lane, visits, connection, reply, failed)));
  }

  private void sendFetch(ReadLane lane, DataConnection connection, Slice slice) {
    if (!lane.owesAnswer()) {
      lane.heard(state.nanoTime.getAsLong());
    }
    slice.moveTo(Slice.State.IN_FLIGHT);
    if (slice.isInFile()) {
      CompletableFuture<FetchedBody> unused =
          state
              .files
              .read(lane.source(state.shuffle), slice.pieces())
              .whenComplete(
                  (body, failed) ->
                      state.mailbox.put(new ReadEvent.Fetched(lane, slice, null, body, failed, 0)));
      return;
    }
    state.fetches++;
    long sentNanos = state.nanoTime.getAsLong();
    CompletableFuture<FetchedBody> unused =
        connection
            .fetch(slice.request(state.shuffle, lane.openedEpoch()))
            .whenComplete(
                (body, failed) ->
                    state.mailbox.put(
                        new ReadEvent.Fetched(
                            lane,
                            slice,
                            connection,
                            body,
                            failed,
                            state.nanoTime.getAsLong() - sentNanos)));
  }

  /** Waits for one event or the next due retry, and handles what there is. */
  void await() throws IOException {
    long start = state.nanoTime.getAsLong();
    // An Open may be answered as much later as it waits.
    long waitFor =
        TimeUnit.MILLISECONDS.toNanos(state.config.silenceMs() + state.request.maxWaitMs());
    boolean due = false;
    for (ReadLane lane : state.lanes) {
      if (lane.isIdle()) {
        continue;
      }
      long next = Long.MAX_VALUE;
      if (lane.isBackingOff()) {
        next = lane.notBeforeNanos() - start;
      } else if (state.request.maxWaitMs() > 0 && lane.owesAnswer()) {
        next = lane.heardNanos() + stallNanos() - start;
      }
      if (next < waitFor) {
        waitFor = Math.max(0, next);
        due = true;
      }
    }
    ReadEvent event;
    try {
      event = state.mailbox.poll(waitFor);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted =
          new InterruptedIOException("interrupted while waiting for shuffle servers");
      interrupted.initCause(e);
      throw interrupted;
    } finally {
      state.waitNanos += state.nanoTime.getAsLong() - start;
    }
    if (event != null) {
      handle(event);
    } else if (!due) {
      giveUpSilent();
    }
    giveUpStalled();
    handleEvents();
    state.throwIfMissing();
    pumpAll();
    state.throwIfMissing();
  }

  private long stallMs() {
    return Math.max(MIN_STALL_MS, state.request.maxWaitMs());
  }

  private long stallNanos() {
    return TimeUnit.MILLISECONDS.toNanos(stallMs());
  }

  /** Leaves servers that say nothing for longer than the read waits, for copies elsewhere. */
  private void giveUpStalled() {
    if (state.request.maxWaitMs() == 0) {
      return;
    }
    long now = state.nanoTime.getAsLong();
    for (ReadLane lane : state.lanes) {
      if (lane.isIdle() || !lane.owesAnswer() || now - lane.heardNanos() < stallNanos()) {
        continue;
      }
      if (lane.visits().allMatch(state::hasCopies)) {
        failures.giveUp(lane, Reason.UNREACHABLE, "silent for " + stallMs() + " ms");
      } else {
        // The request's own timeout decides.
        lane.heard(now);
      }
    }
  }

  private void giveUpSilent() {
    boolean any = false;
    state.patienceSpent = true;
    for (ReadLane lane : state.lanes) {
      if (!lane.isIdle()) {
        failures.giveUp(lane, Reason.UNREACHABLE, "silent for " + state.config.silenceMs() + " ms");
        any = true;
      }
    }
    if (!any && !state.late.giveUp()) {
      throw new IllegalStateException(
          state.partitionsLeft + " partitions are not whole and nothing is asked of any server");
    }
  }

  /** False if nothing had come. */
  boolean handleEvents() throws IOException {
    boolean any = false;
    for (ReadEvent event = state.mailbox.poll(); event != null; event = state.mailbox.poll()) {
      handle(event);
      any = true;
    }
    return any;
  }

  private void handle(ReadEvent event) throws IOException {
    if (event instanceof ReadEvent.Connected connected) {
      onConnected(connected.lane(), connected);
    } else if (event instanceof ReadEvent.Opened opened) {
      onOpened(opened.lane(), opened);
    } else if (event instanceof ReadEvent.Fetched fetched) {
      onFetched(fetched.lane(), fetched);
    } else if (event instanceof ReadEvent.Learnt learnt) {
      state.late.on(learnt);
    }
  }

  private void onConnected(ReadLane lane, ReadEvent.Connected connected) throws IOException {
    lane.heard(state.nanoTime.getAsLong());
    if (!lane.isConnecting()) {
      return;
    }
    if (connected.failure() != null) {
      lane.disconnected();
      failures.onFailure(lane, connected.failure());
      return;
    }
    lane.connected(connected.connection());
    if (lane.isStale(connected.connection().epoch())) {
      failures.startAgain(lane);
    }
  }

  private void onOpened(ReadLane lane, ReadEvent.Opened opened) throws IOException {
    if (!lane.isOpening(opened.visits())) {
      return;
    }
    lane.heard(state.nanoTime.getAsLong());
    if (opened.failure() != null) {
      state.retries++;
      lane.reopen();
      failures.onRequestFailure(lane, opened.connection(), opened.failure());
      return;
    }
    OpenReply reply = opened.reply();
    if (lane.isStale(reply.getEpoch())) {
      failures.startAgain(lane);
      return;
    }
    lane.succeeded();
    state.health.answered(lane.server());
    replies.take(lane, reply);
  }

  private void onFetched(ReadLane lane, ReadEvent.Fetched fetched) throws IOException {
    Slice slice = fetched.slice();
    if (!lane.slices().contains(slice) || slice.state() != Slice.State.IN_FLIGHT) {
      // The server was given up, or started again, in the meantime.
      fetched.dispose();
      return;
    }
    lane.heard(state.nanoTime.getAsLong());
    if (fetched.failure() != null && slice.isInFile()) {
      state.fileFailures++;
      LOG.debug("run files cannot be read, bytes are fetched", fetched.failure());
      slice.filesFailed();
      slice.moveTo(Slice.State.TO_SEND);
      return;
    }
    if (fetched.failure() != null) {
      state.retries++;
      slice.moveTo(Slice.State.TO_SEND);
      failures.onFetchFailure(
          lane, slice, fetched.connection(), LaneFailures.unwrapped(fetched.failure()));
      return;
    }
    FetchedBody body = fetched.body();
    if (body.head().getEpoch() != lane.openedEpoch()
        || body.bytes().readableBytes() != slice.length()) {
      int length = body.bytes().readableBytes();
      body.close();
      throw new SluiceException(
          StatusCode.INTERNAL,
          "server "
              + lane.name()
              + " answered a fetch of "
              + slice.length()
              + " bytes in epoch "
              + lane.openedEpoch()
              + " with "
              + length
              + " bytes of epoch "
              + body.head().getEpoch());
    }
    state.bytes += slice.length();
    state.fetchNanos += fetched.nanos();
    state.fileBytes += slice.isInFile() ? slice.length() : 0;
    lane.succeeded();
    slice.arrived(body);
  }
}
