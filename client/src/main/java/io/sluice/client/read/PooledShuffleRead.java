package io.sluice.client.read;

import com.google.protobuf.ByteString;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.client.ConnectionPool;
import io.sluice.client.compress.BlockCodecs;
import io.sluice.client.compress.PayloadTransform;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.read.MissingBlocks.Reason;
import io.sluice.client.transport.DataConnection;
import io.sluice.client.transport.FetchedBody;
import io.sluice.common.block.BlockFormat;
import io.sluice.common.block.BlockFormatException;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.common.frame.FrameLimits;
import io.sluice.proto.Open;
import io.sluice.proto.OpenReply;
import io.sluice.proto.PartitionState;
import io.sluice.proto.ShuffleId;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.roaringbitmap.longlong.Roaring64NavigableMap;

/**
 * A read over pooled connections. Owned by the task thread.
 *
 * <p>Every partition is visited at one server, and at the next replica if it is not whole after
 * that. All servers are opened at once; then each is asked for slices, large stretches of many
 * partitions, a few of them in flight over all servers. Slices of one server are taken apart in the
 * order of asking, because a block may begin in one and end in the next. A visit that meets a
 * damaged block asks again from there; if it stays damaged, the block is passed over and the proof
 * of completeness names what is missing.
 */
public final class PooledShuffleRead implements ShuffleRead {
  private static final int MAX_BLOCK_BYTES = FrameLimits.DEFAULT.maxBodyLength();
  private static final int MAX_NAMED_MISSING = 1000;

  private final ShuffleId shuffle;
  private final ShuffleReadRequest request;
  private final ReadConfig config;
  private final ConnectionPool pool;
  private final ByteBufAllocator allocator;
  private final LongSupplier nanoTime;
  private final Consumer<ReadCounters> onClose;
  private final int poolLane;
  private final List<ReadLane> lanes = new ArrayList<>();
  private final ContentAssembler assembler;
  private final Mailbox<Event> mailbox = new Mailbox<>(Event::dispose);
  private final List<MissingBlocks> missing = new ArrayList<>();
  private int partitionsLeft;
  private int slicesHeld;
  private int firstLane;
  private Slice current;
  private boolean started;
  private boolean closed;
  private IOException failure;
  private long bytes;
  private long opens;
  private long fetches;
  private long retries;
  private long waitNanos;

  /** Something that a transport thread reports; handled by the task thread. */
  private sealed interface Event {
    default void dispose() {}
  }

  private record Connected(ReadLane lane, DataConnection connection, Throwable failure)
      implements Event {}

  private record Opened(
      ReadLane lane,
      List<PartitionVisit> visits,
      DataConnection connection,
      OpenReply reply,
      Throwable failure)
      implements Event {}

  private record Fetched(
      ReadLane lane, Slice slice, DataConnection connection, FetchedBody body, Throwable failure)
      implements Event {
    @Override
    public void dispose() {
      if (body != null) {
        body.close();
      }
    }
  }

  /**
   * @param transform null for none
   * @param onClose told once, with the final counters
   */
  public PooledShuffleRead(
      ShuffleReadRequest request,
      PayloadTransform transform,
      ReadConfig config,
      ConnectionPool pool,
      ByteBufAllocator allocator,
      LongSupplier nanoTime,
      Consumer<ReadCounters> onClose) {
    this.request = request;
    this.shuffle = request.assignment().shuffle();
    this.config = config;
    this.pool = pool;
    this.allocator = allocator;
    this.nanoTime = nanoTime;
    this.onClose = onClose;
    this.poolLane = pool.nextLane();
    this.assembler =
        new ContentAssembler(
            transform, BlockCodecs.decompressor(MAX_BLOCK_BYTES), config.maxContentBytes());
  }

  @Override
  public ShuffleBlock next() throws IOException {
    if (closed) {
      throw new IllegalStateException("read is closed");
    }
    if (failure != null) {
      throw failure;
    }
    try {
      if (!started) {
        start();
      }
      while (true) {
        ShuffleBlock block = assembler.nextReady();
        if (block == null && current != null) {
          block = takeApart();
        }
        if (block != null) {
          return block;
        }
        if (current == null && !nextSlice()) {
          if (partitionsLeft == 0) {
            return null;
          }
          await();
        }
      }
    } catch (IOException e) {
      failure = e;
      throw e;
    }
  }

  private void start() throws IOException {
    started = true;
    ShuffleAssignment assignment = request.assignment();
    assignment.servers().forEach(server -> lanes.add(new ReadLane(server)));
    for (ExpectedAttempts expected : request.expected()) {
      int range = assignment.rangeOf(expected.partition());
      int replicas = assignment.replicaCount(range);
      partitionsLeft++;
      visitNext(
          new PartitionProgress(expected, range, Math.floorMod(poolLane, replicas), replicas));
    }
    pumpAll();
  }

  /** Asks the next replica for a partition, or notes that it cannot become whole. */
  private void visitNext(PartitionProgress progress) {
    int replica = progress.nextReplica();
    if (replica < 0) {
      missing.addAll(progress.missing(MAX_NAMED_MISSING - missing.size()));
      return;
    }
    ReadLane lane = lanes.get(request.assignment().serverIndex(progress.range(), replica));
    lane.open(new PartitionVisit(progress, lane));
  }

  private void throwIfMissing() throws BlocksMissingException {
    if (!missing.isEmpty()) {
      throw new BlocksMissingException(shuffle.getShuffle(), missing);
    }
  }

  // --- slices ---------------------------------------------------------------------------------

  /** Takes the next slice that is here, of any server; false if there is none. */
  private boolean nextSlice() throws IOException {
    if (handleEvents()) {
      throwIfMissing();
      pumpAll();
    }
    for (int i = 0; i < lanes.size(); i++) {
      ReadLane lane = lanes.get((firstLane + i) % lanes.size());
      Slice slice = lane.slices().peekFirst();
      if (slice != null && slice.state() == Slice.State.HERE) {
        lane.slices().removeFirst();
        current = slice;
        firstLane = (firstLane + i + 1) % lanes.size();
        return true;
      }
    }
    return false;
  }

  /** Goes on in the current slice up to the next content; null and no slice at its end. */
  private ShuffleBlock takeApart() throws IOException {
    ByteBuf body = current.body().bytes();
    while (true) {
      Slice.Part part = current.part();
      if (part == null) {
        current.release();
        current = null;
        slicesHeld--;
        pumpAll();
        return null;
      }
      PartitionVisit visit = part.visit();
      if (!part.isWanted()) {
        current.nextPart();
        continue;
      }
      if (current.available() == 0) {
        current.nextPart();
        continue;
      }
      ShuffleBlock block =
          visit.carry() == null ? blockInPlace(body, visit) : blockOfCarry(body, visit);
      if (part.isWanted()) {
        if (visit.progress().isWhole()) {
          endVisit(visit);
        } else if (visit.isRead()) {
          endOfStretches(visit);
        }
      }
      throwIfMissing();
      if (block != null) {
        return block;
      }
    }
  }

  private ShuffleBlock blockInPlace(ByteBuf body, PartitionVisit visit) throws IOException {
    int index = current.index();
    int available = current.available();
    long offset = current.offset();
    if (available >= BlockHeader.LENGTH) {
      long length = BlockHeader.claimedLength(body, index);
      if (!isPlausible(visit, offset, length)) {
        return damaged(visit, offset, -1, "block length " + length + " cannot be");
      }
      if (length <= available) {
        consume(visit, (int) length);
        return block(body, index, (int) length, visit, offset);
      }
    }
    ByteBuf carry = allocator.directBuffer(BlockHeader.LENGTH);
    visit.startCarry(carry, offset);
    return blockOfCarry(body, visit);
  }

  /** Adds to a carried block; it may become whole. */
  private ShuffleBlock blockOfCarry(ByteBuf body, PartitionVisit visit) throws IOException {
    ByteBuf carry = visit.carry();
    long offset = visit.carryOffset();
    if (current.offset() != offset + carry.readableBytes()) {
      return damaged(visit, offset, -1, "block ends before its length");
    }
    if (carry.readableBytes() < BlockHeader.LENGTH) {
      fill(body, visit, carry, BlockHeader.LENGTH);
      if (carry.readableBytes() < BlockHeader.LENGTH) {
        return null;
      }
      long length = BlockHeader.claimedLength(carry, 0);
      if (!isPlausible(visit, offset, length)) {
        return damaged(visit, offset, -1, "block length " + length + " cannot be");
      }
      carry.ensureWritable((int) length - BlockHeader.LENGTH);
    }
    int length = (int) BlockHeader.claimedLength(carry, 0);
    fill(body, visit, carry, length);
    if (carry.readableBytes() < length) {
      return null;
    }
    carry.retain();
    visit.releaseCarry();
    try {
      return block(carry, 0, length, visit, offset);
    } finally {
      carry.release();
    }
  }

  private void fill(ByteBuf body, PartitionVisit visit, ByteBuf carry, int upTo) {
    int count = Math.min(upTo - carry.readableBytes(), current.available());
    carry.writeBytes(body, current.index(), count);
    consume(visit, count);
  }

  private void consume(PartitionVisit visit, int count) {
    current.consume(count);
    visit.taken(count);
  }

  private static boolean isPlausible(PartitionVisit visit, long offset, long length) {
    return length >= BlockHeader.LENGTH
        && length <= MAX_BLOCK_BYTES + (long) BlockHeader.LENGTH
        && length <= visit.length() - offset;
  }

  private ShuffleBlock block(
      ByteBuf buffer, int index, int length, PartitionVisit visit, long offset) throws IOException {
    try {
      BlockHeader header = BlockFormat.readVerified(buffer, index, index + length);
      if (header.partition() != visit.partition()) {
        return damaged(visit, offset, length, "block is of partition " + header.partition());
      }
      return assembler.accept(visit.progress(), buffer, index, header);
    } catch (BlockFormatException e) {
      return damaged(visit, offset, length, e.getMessage());
    } catch (SluiceException e) {
      if (e.code() != StatusCode.BLOCK_CORRUPT) {
        throw e;
      }
      return damaged(visit, offset, length, e.getMessage());
    }
  }

  /**
   * Asks again from there, a few times; then passes the block over if its length can be believed,
   * else ends the visit.
   *
   * @param length bytes of the block, which have been consumed; -1 if they are not known
   */
  private ShuffleBlock damaged(PartitionVisit visit, long offset, int length, String what) {
    String said =
        "damaged at server "
            + visit.lane().name()
            + " partition "
            + visit.partition()
            + " offset "
            + offset
            + ": "
            + what;
    if (visit.damaged(offset, said) < config.retry().maxAttempts()) {
      retries++;
      visit.restartFrom(offset);
      visit.lane().fetchFirst(visit);
    } else if (length < 0) {
      endVisit(visit);
    }
    return null;
  }

  /** Every byte of the visit has been taken and the partition is not whole. */
  private void endOfStretches(PartitionVisit visit) {
    if (visit.carry() != null) {
      damaged(visit, visit.carryOffset(), -1, "data ends inside a block");
    } else {
      endVisit(visit);
    }
  }

  private void endVisit(PartitionVisit visit) {
    if (visit.isEnded()) {
      return;
    }
    visit.end();
    visit.lane().endVisit(visit);
    PartitionProgress progress = visit.progress();
    if (progress.isWhole()) {
      partitionsLeft--;
    } else {
      progress.failed(visit.lane().name(), visit.shortfallReason(), visit.shortfallDetail());
      visitNext(progress);
    }
  }

  // --- requests -------------------------------------------------------------------------------

  private void pumpAll() throws IOException {
    boolean more = true;
    // One slice for each server in turn, so that one does not get all.
    while (more) {
      more = false;
      for (int i = 0; i < lanes.size(); i++) {
        more |= pump(lanes.get((firstLane + i) % lanes.size()));
      }
    }
  }

  /** Sends what may be sent; true if there may be more. */
  private boolean pump(ReadLane lane) throws IOException {
    if (lane.isIdle() || lane.isConnecting()) {
      return false;
    }
    if (lane.isBackingOff()) {
      if (nanoTime.getAsLong() - lane.notBeforeNanos() < 0) {
        return false;
      }
      lane.backOffEnded();
    }
    if (lane.connection() == null || !lane.connection().isOpen()) {
      if (!wantsConnection(lane)) {
        return false;
      }
      lane.connecting();
      CompletableFuture<DataConnection> unused =
          pool.connection(lane.server(), poolLane)
              .whenComplete((made, failed) -> mailbox.put(new Connected(lane, made, failed)));
      // Nearly always there is a connection already: no need to come back for it. What else has
      // come may concern lanes that had their turn.
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
    if (slicesHeld < config.slicesInFlight() && lane.hasTodo()) {
      slicesHeld++;
      Slice slice = lane.nextSlice(Math.min(config.sliceBytes(), connection.maxBodyLength()));
      sendFetch(lane, connection, slice);
      return lane.hasTodo() && slicesHeld < config.slicesInFlight();
    }
    return false;
  }

  private boolean wantsConnection(ReadLane lane) {
    return lane.hasToOpen()
        || (lane.hasTodo() && slicesHeld < config.slicesInFlight())
        || lane.slices().stream().anyMatch(slice -> slice.state() == Slice.State.TO_SEND);
  }

  private void sendOpen(ReadLane lane, DataConnection connection) {
    List<PartitionVisit> visits = lane.startOpening();
    Open.Builder open =
        Open.newBuilder()
            .setShuffle(shuffle)
            .setAssignedEpoch(lane.server().getEpoch())
            .setWantSliceMarks(request.hasMapRange());
    visits.forEach(visit -> open.addPartitions(visit.partition()));
    opens++;
    CompletableFuture<OpenReply> unused =
        connection
            .open(open.build())
            .whenComplete(
                (reply, failed) ->
                    mailbox.put(new Opened(lane, visits, connection, reply, failed)));
  }

  private void sendFetch(ReadLane lane, DataConnection connection, Slice slice) {
    slice.moveTo(Slice.State.IN_FLIGHT);
    fetches++;
    CompletableFuture<FetchedBody> unused =
        connection
            .fetch(slice.request(shuffle, lane.openedEpoch()))
            .whenComplete(
                (body, failed) -> mailbox.put(new Fetched(lane, slice, connection, body, failed)));
  }

  // --- events ---------------------------------------------------------------------------------

  /** Waits for one event or the next due retry, and handles what there is. */
  private void await() throws IOException {
    long start = nanoTime.getAsLong();
    long waitFor = TimeUnit.MILLISECONDS.toNanos(config.silenceMs());
    boolean retryDue = false;
    for (ReadLane lane : lanes) {
      if (lane.isBackingOff() && !lane.isIdle()) {
        long due = Math.max(0, lane.notBeforeNanos() - start);
        if (due < waitFor) {
          waitFor = due;
          retryDue = true;
        }
      }
    }
    Event event;
    try {
      event = mailbox.poll(waitFor);
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
    } else if (!retryDue) {
      giveUpSilent();
    }
    handleEvents();
    throwIfMissing();
    pumpAll();
    throwIfMissing();
  }

  private void giveUpSilent() {
    boolean any = false;
    for (ReadLane lane : lanes) {
      if (!lane.isIdle()) {
        giveUp(lane, Reason.UNREACHABLE, "silent for " + config.silenceMs() + " ms");
        any = true;
      }
    }
    if (!any) {
      throw new IllegalStateException(
          partitionsLeft + " partitions are not whole and nothing is asked of any server");
    }
  }

  /** False if nothing had come. */
  private boolean handleEvents() throws IOException {
    boolean any = false;
    for (Event event = mailbox.poll(); event != null; event = mailbox.poll()) {
      handle(event);
      any = true;
    }
    return any;
  }

  private void handle(Event event) throws IOException {
    if (event instanceof Connected connected) {
      onConnected(connected.lane(), connected);
    } else if (event instanceof Opened opened) {
      onOpened(opened.lane(), opened);
    } else if (event instanceof Fetched fetched) {
      onFetched(fetched.lane(), fetched);
    }
  }

  private void onConnected(ReadLane lane, Connected connected) throws IOException {
    if (!lane.isConnecting()) {
      return;
    }
    if (connected.failure() != null) {
      lane.disconnected();
      onFailure(lane, connected.failure());
      return;
    }
    lane.connected(connected.connection());
    if (lane.isStale(connected.connection().epoch())) {
      startAgain(lane);
    }
  }

  private void onOpened(ReadLane lane, Opened opened) throws IOException {
    if (!lane.isOpening(opened.visits())) {
      return;
    }
    if (opened.failure() != null) {
      retries++;
      lane.reopen();
      onRequestFailure(lane, opened.connection(), opened.failure());
      return;
    }
    OpenReply reply = opened.reply();
    if (lane.isStale(reply.getEpoch())) {
      startAgain(lane);
      return;
    }
    lane.succeeded();
    List<PartitionVisit> visits = lane.endOpening();
    if (reply.getPartitionsCount() != visits.size()) {
      throw new SluiceException(
          StatusCode.INTERNAL,
          "server "
              + lane.name()
              + " answered for "
              + reply.getPartitionsCount()
              + " of "
              + visits.size()
              + " partitions");
    }
    lane.opened(reply.getEpoch());
    List<Roaring64NavigableMap> sets = new ArrayList<>();
    for (ByteString set : reply.getAttemptSetsList()) {
      sets.add(attempts(lane, set));
    }
    for (int i = 0; i < visits.size(); i++) {
      begin(lane, visits.get(i), reply.getPartitions(i), sets, reply.getEpoch());
    }
  }

  private static Roaring64NavigableMap attempts(ReadLane lane, ByteString bytes)
      throws SluiceException {
    Roaring64NavigableMap set = new Roaring64NavigableMap();
    try (DataInputStream in = new DataInputStream(bytes.newInput())) {
      set.deserializePortable(in);
      return set;
    } catch (IOException | RuntimeException e) {
      throw new SluiceException(
          StatusCode.INTERNAL,
          "server "
              + lane.name()
              + ": complete attempts in "
              + bytes.size()
              + " bytes are not a portable Roaring bitmap",
          e);
    }
  }

  private void begin(
      ReadLane lane,
      PartitionVisit visit,
      PartitionState state,
      List<Roaring64NavigableMap> sets,
      long epoch)
      throws SluiceException {
    if (state.getPartition() != visit.partition()) {
      throw new SluiceException(
          StatusCode.INTERNAL,
          "server "
              + lane.name()
              + " answered for partition "
              + state.getPartition()
              + ", expected "
              + visit.partition());
    }
    boolean restarted = epoch != lane.server().getEpoch();
    Reason absent = restarted ? Reason.LOST : Reason.NEVER_WRITTEN;
    String life = restarted ? "; the server was started again since the assignment" : "";
    switch (state.getPresence()) {
      case PRESENT -> {
        int set = state.getCompleteAttempts();
        Roaring64NavigableMap complete =
            set >= 0 && set < sets.size() ? sets.get(set) : new Roaring64NavigableMap();
        long absentAttempt = firstAbsent(visit.progress(), complete);
        if (absentAttempt >= 0) {
          visit.shortfall(
              restarted ? Reason.LOST : Reason.INCOMPLETE,
              "attempt " + absentAttempt + " is not complete there" + life);
        }
        if (absentAttempt >= 0 && !visit.progress().hasMoreReplicas()) {
          // Better known now than after everything else has been read.
          endBeforeReading(visit, complete);
          return;
        }
        visit.opened(state, request.hasMapRange(), request.firstMapIndex(), request.endMapIndex());
        if (visit.isRead()) {
          endVisit(visit);
        } else {
          lane.beginVisit(visit);
        }
      }
      case PARTITION_EMPTY -> absent(visit, absent, "the partition is empty there" + life);
      case SHUFFLE_NEVER_WRITTEN ->
          absent(visit, absent, "nothing of the shuffle was ever written there" + life);
      case SHUFFLE_EXPIRED ->
          absent(visit, Reason.EXPIRED, "the shuffle was unregistered or its lease ended");
      case DATA_LOST -> absent(visit, Reason.LOST, "the server lost what it had" + life);
      case PRESENCE_UNSPECIFIED, UNRECOGNIZED ->
          absent(visit, Reason.NEVER_WRITTEN, "the server does not say why there is nothing");
    }
  }

  private static long firstAbsent(PartitionProgress progress, Roaring64NavigableMap complete) {
    ExpectedAttempts expected = progress.expected();
    for (int place = 0; place < expected.count(); place++) {
      if (!progress.isWhole(place) && !complete.contains(expected.attempt(place))) {
        return expected.attempt(place);
      }
    }
    return -1;
  }

  /** Ends a visit before it began: names only the attempts that are not there. */
  private void endBeforeReading(PartitionVisit visit, Roaring64NavigableMap complete) {
    visit.end();
    PartitionProgress progress = visit.progress();
    progress.failed(visit.lane().name(), visit.shortfallReason(), visit.shortfallDetail());
    for (MissingBlocks one : progress.missing(Integer.MAX_VALUE)) {
      if (missing.size() < MAX_NAMED_MISSING && !complete.contains(one.mapAttempt())) {
        missing.add(one);
      }
    }
  }

  private void absent(PartitionVisit visit, Reason reason, String detail) {
    visit.shortfall(reason, detail);
    endVisit(visit);
  }

  private void onFetched(ReadLane lane, Fetched fetched) throws IOException {
    Slice slice = fetched.slice();
    if (!lane.slices().contains(slice) || slice.state() != Slice.State.IN_FLIGHT) {
      // The server was given up, or started again, in the meantime.
      fetched.dispose();
      return;
    }
    if (fetched.failure() != null) {
      retries++;
      slice.moveTo(Slice.State.TO_SEND);
      onFetchFailure(lane, slice, fetched.connection(), unwrapped(fetched.failure()));
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
    bytes += slice.length();
    lane.succeeded();
    slice.arrived(body);
  }

  private void onFetchFailure(
      ReadLane lane, Slice slice, DataConnection connection, Throwable cause) throws IOException {
    StatusCode code = cause instanceof SluiceException refusal ? refusal.code() : StatusCode.OK;
    boolean mayPass =
        code == StatusCode.STORAGE_FAILED
            || code == StatusCode.INTERNAL
            || code == StatusCode.BLOCK_CORRUPT;
    if (mayPass && slice.countAttempt() < config.retry().maxAttempts()) {
      lane.backOffUntil(
          nanoTime.getAsLong()
              + TimeUnit.MILLISECONDS.toNanos(config.retry().delayMs(slice.attempts())));
    } else if (mayPass || code == StatusCode.LOST) {
      // The server is well, these bytes are not: only what the slice was for goes elsewhere.
      lane.slices().remove(slice);
      slicesHeld--;
      for (Slice.Part part : slice.parts()) {
        if (part.isWanted()) {
          absent(part.visit(), Reason.LOST, cause.getMessage());
        }
      }
    } else {
      onRequestFailure(lane, connection, cause);
    }
  }

  private void onRequestFailure(ReadLane lane, DataConnection connection, Throwable failed)
      throws IOException {
    Throwable cause = unwrapped(failed);
    if (cause instanceof SluiceException) {
      onFailure(lane, cause);
    } else if (lane.connection() == connection) {
      // Every request of a lost connection fails: the loss counts once.
      lane.disconnected();
      onFailure(lane, cause);
    }
  }

  private void onFailure(ReadLane lane, Throwable failed) throws IOException {
    Throwable cause = unwrapped(failed);
    if (!(cause instanceof SluiceException refusal)) {
      backOff(lane, Reason.UNREACHABLE, cause);
      return;
    }
    switch (refusal.code()) {
      case BUSY, DRAINING, BLOCK_CORRUPT, FRAME_CORRUPT, STORAGE_FAILED, INTERNAL ->
          backOff(lane, Reason.UNREACHABLE, cause);
      case STALE_EPOCH, OUT_OF_RANGE -> startAgain(lane);
      case EXPIRED -> giveUp(lane, Reason.EXPIRED, cause.getMessage());
      case LOST -> giveUp(lane, Reason.LOST, cause.getMessage());
      case NEVER_WRITTEN, UNKNOWN_APPLICATION ->
          giveUp(lane, Reason.NEVER_WRITTEN, cause.getMessage());
      case OK,
          PARTITION_FULL,
          NO_SPACE,
          NO_SERVERS,
          FRAME_TOO_LARGE,
          BAD_VERSION,
          BAD_MESSAGE,
          BAD_REQUEST,
          DENIED ->
          throw new SluiceException(
              refusal.code(),
              "read failed app="
                  + shuffle.getApplication()
                  + " shuffle="
                  + shuffle.getShuffle()
                  + " server="
                  + lane.name()
                  + " code="
                  + refusal.code()
                  + ": "
                  + refusal.getMessage(),
              refusal);
    }
  }

  private static Throwable unwrapped(Throwable failed) {
    return failed instanceof CompletionException && failed.getCause() != null
        ? failed.getCause()
        : failed;
  }

  private void backOff(ReadLane lane, Reason reason, Throwable cause) {
    long now = nanoTime.getAsLong();
    if (lane.isBackingOff() && now - lane.notBeforeNanos() < 0) {
      // Requests that were sent together fail together: that counts once.
      return;
    }
    lane.failed(now);
    long failingMs = TimeUnit.NANOSECONDS.toMillis(now - lane.failingSinceNanos());
    if (lane.failures() >= config.retry().maxAttempts()
        || failingMs >= config.retry().patienceMs()) {
      giveUp(
          lane, reason, lane.failures() + " tries in " + failingMs + " ms: " + cause.getMessage());
      return;
    }
    lane.backOffUntil(now + TimeUnit.MILLISECONDS.toNanos(config.retry().delayMs(lane.failures())));
  }

  /** Offsets are no longer valid: opens everything again that is under way at a server. */
  private void startAgain(ReadLane lane) {
    if (lane.countRestart() > config.retry().maxAttempts()) {
      giveUp(lane, Reason.LOST, "the server's offsets changed " + lane.restarts() + " times");
      return;
    }
    List<PartitionVisit> visits = lane.takeVisits();
    dropSlices(lane);
    lane.forgetEpoch();
    for (PartitionVisit visit : visits) {
      visit.end();
      lane.open(new PartitionVisit(visit.progress(), lane));
    }
  }

  /** Goes to other replicas for everything that is under way at a server. */
  private void giveUp(ReadLane lane, Reason reason, String detail) {
    List<PartitionVisit> visits = lane.takeVisits();
    dropSlices(lane);
    lane.succeeded();
    for (PartitionVisit visit : visits) {
      absent(visit, reason, detail);
    }
  }

  private void dropSlices(ReadLane lane) {
    for (Slice slice : lane.slices()) {
      slice.release();
      slicesHeld--;
    }
    lane.slices().clear();
  }

  @Override
  public ReadCounters counters() {
    return new ReadCounters(
        bytes,
        assembler.blocks(),
        assembler.contentBytes(),
        assembler.records(),
        assembler.skipped(),
        opens,
        fetches,
        retries,
        waitNanos);
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    mailbox.close();
    if (current != null) {
      current.release();
      current = null;
    }
    for (ReadLane lane : lanes) {
      lane.takeVisits().forEach(PartitionVisit::end);
      dropSlices(lane);
    }
    assembler.close();
    onClose.accept(counters());
  }
}
