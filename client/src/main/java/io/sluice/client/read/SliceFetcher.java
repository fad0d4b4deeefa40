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
 * machine: it never waits, and its caller passes the time. Belongs to the task thread; replies
 * arrive as events of the task loop.
 */
final class SliceFetcher implements TaskMachine<ReadEvent> {
  private static final Logger LOG = LoggerFactory.getLogger(SliceFetcher.class);

  /** Maximum length of the wanted attempts of an Open; the rest of its head is for partitions. */
  private static final int MAX_WANTED_BYTES = FrameType.OPEN.maxHeadLength() - (64 << 10);

  /** A read from a disk with a queue can take this long. */
  private static final long MIN_STALL_MS = 1000;

  private final ShuffleReadRequest request;
  private final ShuffleId shuffle;
  private final ReadConfig config;
  private final ConnectionPool pool;
  private final int poolLane;
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
      int poolLane,
      OpenRunFiles files,
      ServerHealth health,
      Parts parts,
      TaskLoop<ReadEvent> loop) {
    this.request = request;
    this.shuffle = request.assignment().shuffle();
    this.config = config;
    this.pool = pool;
    this.poolLane = poolLane;
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
    // An Open may be answered as much later as it waits.
    return TimeUnit.MILLISECONDS.toNanos(config.silenceMs() + request.maxWaitMs());
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
                    : session.answerLeftNanos(now));
      }
    }
    return due;
  }

  @Override
  public void timedOut(long now) {
    boolean any = false;
    for (int i = 0; i < servers.count(); i++) {
      if (!servers.get(i).isIdle()) {
        failures.giveUpSilent(servers.get(i), config.silenceMs());
        any = true;
      }
    }
    if (!any && !progress.endRequest()) {
      throw new IllegalStateException(
          "internal error: "
              + progress.partitionsLeft()
              + " partitions are not whole and no server was asked");
    }
  }

  /** Leaves servers that owe an answer for too long, and sends every request that may be sent. */
  @Override
  public void advance(long now) throws IOException {
    leaveStalled(now);
    request(now);
  }

  /** Sends every request that may be sent. */
  void request(long now) throws IOException {
    progress.throwIfMissing();
    boolean more = true;
    // One slice for each server in turn, so that one does not get all.
    while (more) {
      more = false;
      for (int i = 0; i < servers.count(); i++) {
        more |= request(servers.inTurn(i), now);
      }
    }
    progress.throwIfMissing();
  }

  /** Sends what may be sent to a server; true if there may be more, here or at another. */
  private boolean request(ReadServer server, long now) throws IOException {
    ServerSession session = server.session();
    if (server.isIdle() || session.isConnecting() || !session.mayAct(now)) {
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
      if (slice.state() == Slice.State.TO_SEND) {
        sendFetch(server, connection, slice, now);
      }
    }
    if (server.hasTodo() && budget.hasRoom()) {
      Slice slice = server.nextSlice(Math.min(config.sliceBytes(), connection.maxBodyLength()));
      budget.add(slice);
      sendFetch(server, connection, slice, now);
      return server.hasTodo() && budget.hasRoom();
    }
    return false;
  }

  private boolean wantsConnection(ReadServer server) {
    return server.hasToOpen()
        || (server.hasTodo() && budget.hasRoom())
        || server.slices().stream().anyMatch(slice -> slice.state() == Slice.State.TO_SEND);
  }

  /** Asks the pool for a connection; true if there was one already. */
  private boolean connect(ReadServer server, long now) throws IOException {
    server.session().connecting();
    expectAnswer(server, now, 0);
    CompletableFuture<DataConnection> made = pool.connection(server.server(), poolLane);
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
    // More than a head may have: the server answers at once, and local output has the rest.
    if (!attempts.isEmpty() && attempts.size() <= MAX_WANTED_BYTES) {
      open.setMaxWaitMs(waitMs)
          .setWantedPermille(request.wantedPermille())
          .setWantedAttempts(attempts);
    }
    open.setWantExtents(!kinds.isEmpty()).addAllWantFileKinds(kinds);
    visits.forEach(visit -> open.addPartitions(visit.partition()));
    tally.openSent();
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
    slice.moveTo(Slice.State.IN_FLIGHT);
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
   * What is left of the read's wait for servers to get what is pushed to them, in milliseconds. It
   * begins with the first call.
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
   * Only a read that can do without a server limits the time for its answers; otherwise the timeout
   * of the request decides.
   */
  private void expectAnswer(ReadServer server, long now, int openWaitMs) {
    if (request.maxWaitMs() > 0) {
      server.session().expectAnswerBy(now + TimeUnit.MILLISECONDS.toNanos(stallMs() + openWaitMs));
    }
  }

  /** A server has answered one of its requests. */
  private void answered(ReadServer server, long now) {
    if (!server.session().owesAnswer()) {
      return;
    }
    if (server.hasRequests()) {
      expectAnswer(server, now, 0);
    } else {
      server.session().answered();
    }
  }

  private void leaveStalled(long now) {
    for (int i = 0; i < servers.count(); i++) {
      ReadServer server = servers.get(i);
      if (!server.isIdle()
          && server.session().isOverdue(now)
          && !failures.giveUpIfCopied(server, stallMs())) {
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
    } else if (event instanceof ReadEvent.Learnt learnt) {
      progress.onLearnt(learnt);
    }
  }

  private void onConnected(ReadEvent.Connected connected, long now) throws IOException {
    ReadServer server = connected.server();
    if (connected.failure() != null) {
      failures.onConnectFailure(server, connected.failure(), now);
    } else {
      server.connected(connected.connection());
      if (server.isStale(connected.connection().epoch())) {
        failures.openAgain(server);
      }
    }
    answered(server, now);
  }

  private void onOpened(ReadServer server, ReadEvent.Opened opened, long now) throws IOException {
    if (opened.failure() != null) {
      tally.retry();
      server.reopen();
      failures.onRequestFailure(server, opened.connection(), opened.failure(), now);
    } else if (server.isStale(opened.reply().getEpoch())) {
      failures.openAgain(server);
    } else {
      server.session().succeeded();
      health.answered(server.server());
      replies.take(server, opened.reply(), opened.connection().wholeSinceEpoch());
    }
    answered(server, now);
  }

  private void onFetched(ReadServer server, ReadEvent.Fetched fetched, long now)
      throws IOException {
    Slice slice = fetched.slice();
    if (!server.slices().contains(slice) || slice.state() != Slice.State.IN_FLIGHT) {
      // The server was given up, or restarted, in the meantime.
      fetched.dispose();
      return;
    }
    if (fetched.failure() == null) {
      onSlice(server, fetched);
    } else if (slice.isInFile()) {
      tally.fileFailed();
      LOG.debug("run files cannot be read, fetching from the server", fetched.failure());
      slice.filesFailed();
      slice.moveTo(Slice.State.TO_SEND);
    } else {
      tally.retry();
      slice.moveTo(Slice.State.TO_SEND);
      failures.onFetchFailure(server, slice, fetched.connection(), fetched.failure(), now);
    }
    answered(server, now);
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
          "server "
              + server.name()
              + " answered a fetch of "
              + slice.length()
              + " bytes in epoch "
              + server.openedEpoch()
              + " with "
              + length
              + " bytes of epoch "
              + body.head().getEpoch());
    }
    tally.sliceArrived(slice, fetched.nanos());
    server.session().succeeded();
    slice.arrived(body);
  }
}
