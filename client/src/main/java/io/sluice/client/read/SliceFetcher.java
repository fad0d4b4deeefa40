package io.sluice.client.read;

import com.google.protobuf.ByteString;
import io.sluice.client.file.OpenRunFiles;
import io.sluice.client.file.RunFileSource;
import io.sluice.client.server.ConnectionPool;
import io.sluice.client.server.ServerHealth;
import io.sluice.client.server.ServerSession;
import io.sluice.client.server.TaskLoop;
import io.sluice.client.server.TaskMachine;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.Open;
import io.sluice.proto.OpenReply;
import io.sluice.proto.RunFileKind;
import io.sluice.proto.ShuffleId;
import io.sluice.transport.client.DataConnection;
import io.sluice.transport.client.FetchedBody;
import io.sluice.transport.protocol.AttemptSets;
import io.sluice.transport.protocol.FrameType;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.roaringbitmap.longlong.Roaring64NavigableMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens partitions at their servers and fetches slices, several in flight over all servers. A state
 * machine that never waits; its caller passes the time. Owned by the task thread; replies arrive as
 * events of the task loop.
 *
 * <p>At each server, in this order: connect; send one Open request for all waiting partitions;
 * fetch slices of the opened partitions while the {@link SliceBudget} allows, one slice per server
 * in turn. The state of one server is in {@link ReadServer}, the reaction to failures in {@link
 * ServerFailures}.
 *
 * <p>A reply is ignored if its request is no longer current: the server was given up, or opened
 * again.
 */
final class SliceFetcher implements TaskMachine<ReadEvent> {
  private static final Logger LOG = LoggerFactory.getLogger(SliceFetcher.class);

  /**
   * Maximum length of the attempt set in an Open request; the rest of its head is for partitions.
   */
  private static final int MAX_WANTED_BYTES = FrameType.OPEN.maxHeadLength() - (64 << 10);

  /**
   * Minimum reply timeout of reads with copies elsewhere: a read from a busy disk can take this
   * long.
   */
  private static final long MIN_STALL_MS = 1000;

  private final ShuffleReadRequest request;
  private final ShuffleId shuffle;
  private final ReadConfig config;
  private final ConnectionPool pool;
  private final int connectionSlot;
  private final OpenRunFiles files;
  private final ReadServers servers;
  private final ReadProgress progress;
  private final SliceBudget budget;
  private final ReadTally tally;
  private final ServerHealth health;
  private final ServerFailures failures;
  private final OpenReplies replies;
  private final TaskLoop<ReadEvent> loop;
  private boolean waitBegun;
  private long waitEndNanos;

  /** The parts of a read that its state machines share. */
  record Parts(
      ReadServers servers,
      ReadProgress progress,
      SliceBudget budget,
      ReadTally tally,
      ServerFailures failures) {}

  /**
   * @param files borrows
   * @param loop receives the replies
   */
  SliceFetcher(
      ShuffleReadRequest request,
      ReadConfig config,
      ConnectionPool pool,
      int connectionSlot,
      OpenRunFiles files,
      ServerHealth health,
      Parts parts,
      TaskLoop<ReadEvent> loop) {
    this.request = request;
    this.shuffle = request.assignment().shuffle();
    this.config = config;
    this.pool = pool;
    this.connectionSlot = connectionSlot;
    this.files = files;
    this.health = health;
    this.servers = parts.servers();
    this.progress = parts.progress();
    this.budget = parts.budget();
    this.tally = parts.tally();
    this.failures = parts.failures();
    this.replies = new OpenReplies(request, progress, files);
    this.loop = loop;
  }

  @Override
  public long timeoutNanos() {
    // A server may delay the reply to an Open by the wait of the request.
    return TimeUnit.MILLISECONDS.toNanos(config.silenceTimeoutMs() + request.maxWaitMs());
  }

  @Override
  public long dueInNanos(long now) {
    long due = Long.MAX_VALUE;
    for (int i = 0; i < servers.count(); i++) {
      ReadServer server = servers.get(i);
      if (!server.isIdle()) {
        ServerSession session = server.session();
        due =
            Math.min(
                due,
                session.isBackingOff()
                    ? session.backOffLeftNanos(now)
                    : session.replyLeftNanos(now));
      }
    }
    return due;
  }

  /**
   * A wait counts for a server in a back-off, or else for the one with the oldest request. A wait
   * for map attempts counts for no server.
   */
  @Override
  public void waited(long nanos) {
    long now = loop.now();
    ReadServer awaited = null;
    long oldest = now;
    for (int i = 0; i < servers.count(); i++) {
      ReadServer server = servers.get(i);
      if (server.isIdle()) {
        continue;
      }
      if (server.session().isBackingOff()) {
        awaited = server;
        break;
      }
      long sent = server.oldestRequestNanos(now);
      if (sent - oldest < 0) {
        awaited = server;
        oldest = sent;
      }
    }
    if (awaited != null && !awaited.waitsForAttempts()) {
      tally.waits().waited(awaited.name(), nanos);
    }
  }

  @Override
  public void timedOut(long now) {
    boolean any = false;
    for (int i = 0; i < servers.count(); i++) {
      if (!servers.get(i).isIdle()) {
        failures.giveUpSilent(servers.get(i), config.silenceTimeoutMs());
        any = true;
      }
    }
    if (!any && !progress.endRequest()) {
      throw new IllegalStateException(
          "internal error: no request is in flight for the incomplete partitions, partitions="
              + progress.partitionsLeft());
    }
  }

  /** Handles overdue replies, and sends every request that may be sent. */
  @Override
  public void advance(long now) throws IOException {
    giveUpStalled(now);
    request(now);
  }

  /** Sends every request that may be sent. */
  void request(long now) throws IOException {
    progress.throwIfMissing();
    boolean more = true;
    // One slice per server in turn, so that no server gets the whole budget.
    while (more) {
      more = false;
      for (int i = 0; i < servers.count(); i++) {
        more |= request(servers.inTurn(i), now);
      }
    }
    progress.throwIfMissing();
  }

  /**
   * Sends requests to a server; returns whether more requests may be possible, to it or to other
   * servers.
   */
  private boolean request(ReadServer server, long now) throws IOException {
    ServerSession session = server.session();
    if (server.isIdle() || session.isConnecting() || !session.maySend(now)) {
      return false;
    }
    if (!session.isConnected()) {
      return wantsConnection(server) && (failures.skip(server) || connect(server, now));
    }
    DataConnection connection = session.connection();
    if (server.hasToOpen() && !server.isOpening()) {
      sendOpen(server, connection, now);
    }
    for (Slice slice : server.slices()) {
      if (slice.state() == Slice.State.UNSENT) {
        sendFetch(server, connection, slice, now);
      }
    }
    if (server.hasPending() && budget.hasRoom()) {
      Slice slice = server.nextSlice(Math.min(config.sliceBytes(), connection.maxBodyLength()));
      budget.add(slice);
      sendFetch(server, connection, slice, now);
      return server.hasPending() && budget.hasRoom();
    }
    return false;
  }

  private boolean wantsConnection(ReadServer server) {
    return server.hasToOpen()
        || (server.hasPending() && budget.hasRoom())
        || server.slices().stream().anyMatch(slice -> slice.state() == Slice.State.UNSENT);
  }

  /** Requests a connection from the pool; true if one is open already. */
  private boolean connect(ReadServer server, long now) throws IOException {
    server.session().connecting();
    server.requested(now, false);
    expectAnswer(server, now, 0);
    CompletableFuture<DataConnection> made = pool.connection(server.server(), connectionSlot);
    if (made.isDone() && !made.isCompletedExceptionally()) {
      onConnected(new ReadEvent.Connected(server, made.join(), null), now);
      return true;
    }
    CompletableFuture<DataConnection> unused =
        made.whenComplete(
            (connection, failed) -> loop.put(new ReadEvent.Connected(server, connection, failed)));
    return false;
  }

  private void sendOpen(ReadServer server, DataConnection connection, long now) {
    List<PartitionVisit> visits = server.startOpening();
    Open.Builder open =
        Open.newBuilder().setShuffle(shuffle).setAssignedEpoch(server.server().getEpoch());
    if (request.hasMapRange()) {
      open.setWantSliceMarks(true)
          .setFirstMapIndex(request.firstMapIndex())
          .setEndMapIndex(request.endMapIndex());
    }
    List<RunFileKind> kinds =
        files.kinds(
            new RunFileSource(
                server.server(), connection.localSocket(), shuffle, connection.epoch()));
    int waitMs = waitLeftMs(now);
    Roaring64NavigableMap wanted =
        waitMs > 0 ? WantedAttempts.of(request, visits) : new Roaring64NavigableMap();
    ByteString attempts = wanted.isEmpty() ? ByteString.EMPTY : AttemptSets.encode(wanted);
    // Without the set, which is too large for the head, the server does not wait; local output has
    // the other blocks.
    if (!attempts.isEmpty() && attempts.size() <= MAX_WANTED_BYTES) {
      open.setMaxWaitMs(waitMs)
          .setWantedPermille(request.wantedPermille())
          .setWantedAttempts(attempts);
    }
    open.setWantExtents(!kinds.isEmpty()).addAllWantFileKinds(kinds);
    visits.forEach(visit -> open.addPartitions(visit.partition()));
    tally.openSent();
    server.requested(now, open.getMaxWaitMs() > 0);
    expectAnswer(server, now, open.getMaxWaitMs());
    CompletableFuture<OpenReply> unused =
        connection
            .open(open.build())
            .whenComplete(
                (reply, failed) ->
                    loop.put(new ReadEvent.Opened(server, visits, connection, reply, failed)));
  }

  private void sendFetch(ReadServer server, DataConnection connection, Slice slice, long now) {
    if (!server.hasRequests()) {
      expectAnswer(server, now, 0);
    }
    slice.sent(now);
    if (slice.isInFile()) {
      CompletableFuture<FetchedBody> unused =
          files
              .read(server.source(shuffle), slice.pieces())
              .whenComplete(
                  (body, failed) ->
                      loop.put(new ReadEvent.Fetched(server, slice, null, body, failed, 0)));
      return;
    }
    tally.fetchSent();
    CompletableFuture<FetchedBody> unused =
        connection
            .fetch(slice.request(shuffle, server.openedEpoch()))
            .whenComplete(
                (body, failed) ->
                    loop.put(
                        new ReadEvent.Fetched(
                            server, slice, connection, body, failed, loop.now() - now)));
  }

  /**
   * Remaining wait of the read for the background push, in milliseconds. The wait begins with the
   * first call.
   */
  private int waitLeftMs(long now) {
    if (request.maxWaitMs() == 0) {
      return 0;
    }
    if (!waitBegun) {
      waitBegun = true;
      waitEndNanos = now + TimeUnit.MILLISECONDS.toNanos(request.maxWaitMs());
    }
    return (int) Math.max(0, TimeUnit.NANOSECONDS.toMillis(waitEndNanos - now));
  }

  private long stallMs() {
    return Math.max(MIN_STALL_MS, request.maxWaitMs());
  }

  /**
   * Sets the deadline of the next reply, only for reads of blocks that are in local output too.
   * Other reads rely on the request timeout.
   */
  private void expectAnswer(ReadServer server, long now, int openWaitMs) {
    if (request.maxWaitMs() > 0) {
      server.session().expectReplyBy(now + TimeUnit.MILLISECONDS.toNanos(stallMs() + openWaitMs));
    }
  }

  /** Handles the deadline after a reply of a server. */
  private void answered(ReadServer server, long now) {
    if (!server.session().isReplyExpected()) {
      return;
    }
    if (server.hasRequests()) {
      expectAnswer(server, now, 0);
    } else {
      server.session().replyReceived();
    }
  }

  private void giveUpStalled(long now) {
    for (int i = 0; i < servers.count(); i++) {
      ReadServer server = servers.get(i);
      if (!server.isIdle()
          && server.session().isOverdue(now)
          && !failures.giveUpIfReplicated(server, stallMs())) {
        expectAnswer(server, now, 0);
      }
    }
  }

  @Override
  public void on(ReadEvent event, long now) throws IOException {
    if (event instanceof ReadEvent.Connected connected) {
      if (connected.server().session().isConnecting()) {
        onConnected(connected, now);
      }
    } else if (event instanceof ReadEvent.Opened opened) {
      if (opened.server().isOpening(opened.visits())) {
        onOpened(opened.server(), opened, now);
      }
    } else if (event instanceof ReadEvent.Fetched fetched) {
      onFetched(fetched.server(), fetched, now);
    } else if (event instanceof ReadEvent.AssignmentReply reply) {
      progress.onAssignmentReply(reply);
    }
  }

  private void onConnected(ReadEvent.Connected connected, long now) throws IOException {
    ReadServer server = connected.server();
    tally.waits().answered(server.name());
    if (connected.failure() != null) {
      failures.onConnectFailure(server, connected.failure(), now);
    } else {
      server.connected(connected.connection());
      if (server.isStale(connected.connection().epoch())) {
        failures.reopenAll(server);
      }
    }
    answered(server, now);
  }

  private void onOpened(ReadServer server, ReadEvent.Opened opened, long now) throws IOException {
    tally.waits().answered(server.name());
    if (opened.failure() != null) {
      tally.retry();
      server.reopen();
      failures.onRequestFailure(server, opened.connection(), opened.failure(), now);
    } else if (server.isStale(opened.reply().getEpoch())) {
      failures.reopenAll(server);
    } else {
      server.session().succeeded();
      health.markHealthy(server.server());
      replies.handle(server, opened.reply(), opened.connection().wholeSinceEpoch());
    }
    answered(server, now);
  }

  private void onFetched(ReadServer server, ReadEvent.Fetched fetched, long now)
      throws IOException {
    Slice slice = fetched.slice();
    if (!server.slices().contains(slice) || slice.state() != Slice.State.IN_FLIGHT) {
      // The server was given up or has restarted since the request.
      fetched.dispose();
      return;
    }
    countWait(server, fetched);
    if (fetched.failure() == null) {
      onSlice(server, fetched);
    } else if (slice.isInFile()) {
      tally.fileFailed();
      LOG.debug("reading run files failed, fetching from the server", fetched.failure());
      slice.filesFailed();
      slice.moveTo(Slice.State.UNSENT);
    } else {
      tally.retry();
      slice.moveTo(Slice.State.UNSENT);
      failures.onFetchFailure(server, slice, fetched.connection(), fetched.failure(), now);
    }
    answered(server, now);
  }

  /** Run files are read from the disks of the server, by the server or by this process. */
  private void countWait(ReadServer server, ReadEvent.Fetched fetched) {
    if (fetched.failure() != null) {
      tally.waits().answered(server.name());
    } else if (fetched.slice().isInFile()) {
      tally.waits().usedDisk(server.name(), Long.MAX_VALUE);
    } else {
      // A false time from the server is limited to the time that the task waited.
      long micros = fetched.body().head().getFileMicros();
      tally.waits().usedDisk(server.name(), TimeUnit.MICROSECONDS.toNanos(micros));
    }
  }

  private void onSlice(ReadServer server, ReadEvent.Fetched fetched) throws IOException {
    Slice slice = fetched.slice();
    FetchedBody body = fetched.body();
    if (body.head().getEpoch() != server.openedEpoch()
        || body.bytes().readableBytes() != slice.length()) {
      int length = body.bytes().readableBytes();
      body.close();
      throw new SluiceException(
          StatusCode.INTERNAL,
          "invalid Fetch reply: server="
              + server.name()
              + " length="
              + length
              + " expectedLength="
              + slice.length()
              + " epoch="
              + body.head().getEpoch()
              + " expectedEpoch="
              + server.openedEpoch());
    }
    tally.sliceArrived(slice, fetched.nanos());
    tally.waits().exchanged(server.name(), slice.length());
    server.session().succeeded();
    slice.arrived(body);
  }
}
