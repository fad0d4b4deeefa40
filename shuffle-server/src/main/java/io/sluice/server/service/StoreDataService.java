package io.sluice.server.service;

import io.netty.buffer.ByteBuf;
import io.sluice.common.block.BlockFormatException;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.Fetch;
import io.sluice.proto.Hello;
import io.sluice.proto.HelloReply;
import io.sluice.proto.LostStretch;
import io.sluice.proto.Open;
import io.sluice.proto.OpenReply;
import io.sluice.proto.PartitionState;
import io.sluice.proto.Presence;
import io.sluice.proto.Push;
import io.sluice.proto.PushAck;
import io.sluice.proto.Range;
import io.sluice.proto.ReportedBlock;
import io.sluice.proto.RunFileKind;
import io.sluice.proto.SliceMark;
import io.sluice.server.disk.DamageReports;
import io.sluice.server.log.AppendResult;
import io.sluice.server.log.BlockBatch;
import io.sluice.server.log.LogRange;
import io.sluice.server.log.OpenSnapshot;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.ShuffleLog;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.log.SliceMarkSnapshot;
import io.sluice.server.memory.MemoryBudget;
import io.sluice.server.observe.ServerCounters;
import io.sluice.transport.protocol.AttemptSets;
import io.sluice.transport.protocol.ConnectionGuard;
import io.sluice.transport.protocol.FrameLimits;
import io.sluice.transport.server.BodyMemory;
import io.sluice.transport.server.ClientConnection;
import io.sluice.transport.server.DataService;
import io.sluice.transport.server.FetchedBytes;
import io.sluice.transport.server.RequestMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;

/**
 * Implements the data protocol on the server's shuffle logs.
 *
 * <p>Thread-safe. A push is verified without a lock, then appended under the lock of its shuffle. A
 * waiting Open ends by an append, by removal of the shuffle or by its timeout, and is answered on
 * the scheduler.
 */
public final class StoreDataService implements DataService {
  /**
   * Maximum number of full partitions in one acknowledgement; others are reported in later ones.
   */
  private static final int MAX_FULL_PARTITIONS = 65_536;

  /** Maximum number of slice marks in one reply to an Open; a mark has at most 30 bytes there. */
  private static final int MAX_REPLY_MARKS = 1 << 17;

  private final ServerEpochs epochs;
  private final long epoch;
  private final ServiceConfig config;
  private final ConnectionGuard guard;
  private final FrameLimits limits;
  private final PushAdmission admission;
  private final MemoryBudget memory;
  private final RequestMemory requestMemory;
  private final ShuffleStore store;
  private final BlockReads reads;
  private final ScheduledExecutorService scheduler;
  private final ServerCounters counters;
  private final OpenWaits waits;
  private volatile String localSocket;
  private volatile boolean remoteFiles;
  private volatile ReportedReads reported;

  /**
   * @param guard authenticates connections
   * @param admission accepts or refuses pushes
   * @param requestMemory counts the heap of waiting Opens
   * @param scheduler ends and answers waits; owned by the caller
   */
  public StoreDataService(
      ServerEpochs epochs,
      ServiceConfig config,
      ConnectionGuard guard,
      PushAdmission admission,
      MemoryBudget memory,
      RequestMemory requestMemory,
      ShuffleStore store,
      BlockReads reads,
      ScheduledExecutorService scheduler,
      ServerCounters counters) {
    this.epochs = epochs;
    this.epoch = epochs.current();
    this.config = config;
    this.guard = guard;
    this.admission = admission;
    this.limits = admission.limits();
    this.memory = memory;
    this.requestMemory = requestMemory;
    this.store = store;
    this.reads = reads;
    this.scheduler = scheduler;
    this.counters = counters;
    this.waits = new OpenWaits(config, requestMemory, store, scheduler);
  }

  /** Sets the socket for short-circuit reads, which replies to later HELLOs announce. */
  public void announceLocalSocket(String path) {
    localSocket = path;
  }

  /** Announces run files on the remote tier, which clients can read without this server. */
  public void announceRemoteFiles() {
    remoteFiles = true;
  }

  /** Verifies blocks that clients report as damaged from now on; before, reports are ignored. */
  public void verifyReports(DamageReports reports) {
    reported = new ReportedReads(reports, scheduler);
  }

  @Override
  public long epoch() {
    return epoch;
  }

  @Override
  public ConnectionGuard guard() {
    return guard;
  }

  @Override
  public FrameLimits limits() {
    return limits;
  }

  @Override
  public BodyMemory bodyMemory() {
    return memory;
  }

  @Override
  public RequestMemory requestMemory() {
    return requestMemory;
  }

  @Override
  public HelloReply hello(Hello hello) throws SluiceException {
    Identifiers.application(hello.getApplication());
    String socket = localSocket;
    return HelloReply.newBuilder()
        .setEpoch(epoch)
        .setWholeSinceEpoch(epochs.wholeSince())
        .setMaxBodyLength(limits.maxBodyLength())
        .setLocalSocket(socket == null ? "" : socket)
        .build();
  }

  @Override
  public void checkPush(ClientConnection connection, Push push, int bodyLength)
      throws SluiceException {
    admission.check(connection, push, bodyLength);
  }

  @Override
  public PushAck push(ClientConnection connection, Push push, ByteBuf body) throws SluiceException {
    boolean begun = false;
    ShuffleKey key;
    try {
      key = admission.begin(connection, push);
      begun = true;
    } finally {
      if (!begun) {
        body.release();
      }
    }
    try {
      return append(key, body);
    } catch (SluiceException e) {
      counters.refusedFrame();
      throw e;
    } finally {
      admission.end();
    }
  }

  /**
   * @param body this method takes ownership
   */
  private PushAck append(ShuffleKey key, ByteBuf body) throws SluiceException {
    boolean taken = false;
    try {
      BlockBatch batch = verify(body);
      long reservedBytes = memory.reservedBytes(body.capacity());
      ShuffleLog log = store.findOrCreate(key);
      taken = true;
      PushAck ack = ack(log.append(body, reservedBytes, batch));
      memory.signalIfTight();
      return ack;
    } finally {
      if (!taken) {
        body.release();
      }
    }
  }

  @Override
  public CompletionStage<OpenReply> open(ClientConnection connection, Open open) {
    try {
      ShuffleKey key = Identifiers.shuffle(connection, open.getShuffle());
      int[] partitions = checkPartitions(open);
      checkMapRange(open);
      OpenWaits.check(open);
      boolean answeredAtOnce =
          store.isExpired(key)
              || (store.find(key) == null && open.getAssignedEpoch() < epochs.wholeSince());
      CompletableFuture<OpenReply> later = new CompletableFuture<>();
      // The wanted attempts were decoded for the wait and are not needed for the reply.
      Open asked = open.toBuilder().clearWantedAttempts().build();
      return !answeredAtOnce
              && waits.begin(key, open, partitions, () -> answerOn(later, key, asked, partitions))
          ? later
          : CompletableFuture.completedFuture(reply(key, open, partitions));
    } catch (SluiceException e) {
      counters.refusedFrame();
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  public CompletableFuture<FetchedBytes> fetch(ClientConnection connection, Fetch fetch) {
    CompletableFuture<FetchedBytes> answer;
    try {
      ShuffleKey key = Identifiers.shuffle(connection, fetch.getShuffle());
      epochs.checkCurrent(key, fetch.getEpoch());
      List<LogRange> ranges = checkRanges(fetch);
      ShuffleLog log = store.find(key);
      if (log == null) {
        store.checkNotExpired(key);
        throw new SluiceException(
            StatusCode.NEVER_WRITTEN, key + ": no block was ever written to this server");
      }
      ReportedReads verification = reported;
      answer =
          fetch.getDamagedCount() == 0 || verification == null
              ? reads.read(connection, epoch, log, ranges)
              : verification.readAfter(
                  log, checkReported(fetch), () -> readReported(connection, log, ranges));
    } catch (SluiceException e) {
      answer = CompletableFuture.failedFuture(e);
    }
    CompletableFuture<FetchedBytes> unused =
        answer.whenComplete(
            (bytes, failure) -> {
              if (bytes != null) {
                counters.fetched(bytes.length(), bytes.head().getFromMemory());
              } else {
                counters.refusedFrame();
              }
            });
    return answer;
  }

  private CompletableFuture<FetchedBytes> readReported(
      ClientConnection connection, ShuffleLog log, List<LogRange> ranges) {
    try {
      return reads.read(connection, epoch, log, ranges);
    } catch (SluiceException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static boolean wants(Open open, RunFileKind kind) {
    return open.getWantFileKindsCount() == 0 || open.getWantFileKindsList().contains(kind);
  }

  private BlockBatch verify(ByteBuf body) throws SluiceException {
    BlockBatch batch;
    try {
      batch = new BodyVerifier(body).verify();
    } catch (BlockFormatException e) {
      counters.corruptFrame();
      throw e;
    }
    Identifiers.partition(batch.maxPartition());
    return batch;
  }

  private PushAck ack(AppendResult result) {
    counters.pushed(result.keptBlocks(), result.keptBytes(), result.duplicateBlocks());
    return PushAck.newBuilder()
        .setEpoch(epoch)
        .setMemoryUsedPermille(memory.usedPermille())
        .addAllFullPartitions(first(result.fullPartitions(), MAX_FULL_PARTITIONS))
        .setSpilling(store.totals().spillingBytes() > 0)
        .build();
  }

  private static <T> List<T> first(List<T> all, int max) {
    return all.size() <= max ? all : all.subList(0, max);
  }

  private static int[] checkPartitions(Open open) throws SluiceException {
    int count = open.getPartitionsCount();
    if (count < 1 || count > FrameLimits.MAX_PARTITIONS) {
      throw Identifiers.badRequest(
          "Open of " + count + " partitions, expected 1 to " + FrameLimits.MAX_PARTITIONS);
    }
    int[] partitions = new int[count];
    for (int i = 0; i < count; i++) {
      partitions[i] = open.getPartitions(i);
      Identifiers.partition(partitions[i]);
      if (i > 0 && partitions[i] <= partitions[i - 1]) {
        throw Identifiers.badRequest(
            "Open has partition "
                + partitions[i]
                + " after partition "
                + partitions[i - 1]
                + ", expected ascending order");
      }
    }
    return partitions;
  }

  private static void checkMapRange(Open open) throws SluiceException {
    if (open.getFirstMapIndex() < 0
        || (open.getEndMapIndex() != 0 && open.getEndMapIndex() <= open.getFirstMapIndex())) {
      throw Identifiers.badRequest(
          "invalid map range: first_map_index="
              + open.getFirstMapIndex()
              + " end_map_index="
              + open.getEndMapIndex());
    }
  }

  private List<LogRange> checkRanges(Fetch fetch) throws SluiceException {
    int count = fetch.getRangesCount();
    if (count < 1 || count > FrameLimits.MAX_RANGES) {
      throw Identifiers.badRequest(
          "Fetch of " + count + " ranges, expected 1 to " + FrameLimits.MAX_RANGES);
    }
    List<LogRange> ranges = new ArrayList<>(count);
    long sum = 0;
    for (Range range : fetch.getRangesList()) {
      if (range.getLength() < 1 || range.getOffset() < 0) {
        throw Identifiers.badRequest(
            "invalid range: offset=" + range.getOffset() + " length=" + range.getLength());
      }
      sum += Math.min(range.getLength(), Integer.MAX_VALUE);
      ranges.add(new LogRange(range.getPartition(), range.getOffset(), range.getLength()));
    }
    if (sum > config.limits().maxBodyLength()) {
      throw Identifiers.badRequest(
          "Fetch of " + sum + " bytes, maximum " + config.limits().maxBodyLength() + " bytes");
    }
    return ranges;
  }

  private static List<ReportedBlock> checkReported(Fetch fetch) throws SluiceException {
    if (fetch.getDamagedCount() > FrameLimits.MAX_REPORTED_BLOCKS) {
      throw Identifiers.badRequest(
          "Fetch reports "
              + fetch.getDamagedCount()
              + " damaged blocks, maximum "
              + FrameLimits.MAX_REPORTED_BLOCKS);
    }
    return fetch.getDamagedList();
  }

  private void answerOn(
      CompletableFuture<OpenReply> answer, ShuffleKey key, Open open, int[] partitions) {
    Runnable task =
        () -> {
          try {
            answer.complete(reply(key, open, partitions));
          } catch (SluiceException e) {
            counters.refusedFrame();
            answer.completeExceptionally(e);
          }
        };
    try {
      scheduler.execute(task);
    } catch (RejectedExecutionException e) {
      task.run();
    }
  }

  private OpenReply reply(ShuffleKey key, Open open, int[] partitions) throws SluiceException {
    if (!requestMemory.hasRoom(key.application())) {
      // Replies to waiting Opens become ready together, and this client has unread replies.
      throw new SluiceException(
          StatusCode.BUSY,
          "application="
              + key.application()
              + " uses its share of the request memory of "
              + requestMemory.capacityBytes()
              + " bytes; receive pending replies before sending further Opens");
    }
    boolean expired = store.isExpired(key);
    ShuffleLog log = expired ? null : store.find(key);
    OpenSnapshot found = log == null ? null : log.snapshot(partitions, open.getWantSliceMarks());
    boolean earlierEpoch = open.getAssignedEpoch() < epochs.wholeSince();
    if (found == null) {
      return absent(
          partitions,
          expired || store.isExpired(key)
              ? Presence.SHUFFLE_EXPIRED
              : earlierEpoch ? Presence.DATA_LOST : Presence.SHUFFLE_NEVER_WRITTEN);
    }
    OpenReply.Builder reply = OpenReply.newBuilder().setEpoch(epoch);
    DirectReadLocations located =
        open.getWantExtents()
            ? new DirectReadLocations(
                log,
                localSocket != null && wants(open, RunFileKind.LOCAL_FILE),
                remoteFiles && wants(open, RunFileKind.REMOTE_FILE))
            : null;
    for (int i = 0; i < partitions.length; i++) {
      PartitionState.Builder state =
          state(open, partitions[i], found.partitions().get(i), earlierEpoch);
      if (located != null && state.getPresence() == Presence.PRESENT) {
        located.addTo(state);
      }
      reply.addPartitions(state);
    }
    if (located != null) {
      reply.addAllFiles(located.files());
    }
    long setBytes = 0;
    for (int set = 0; set < found.completeSets().size(); set++) {
      var bytes = AttemptSets.encode(found.attemptsOf(set));
      setBytes += bytes.size();
      if (setBytes > limits.maxHeadLength()) {
        throw tooLarge(key, partitions.length);
      }
      reply.addAttemptSets(bytes);
    }
    OpenReply built = reply.build();
    if (built.getSerializedSize() > limits.maxHeadLength()) {
      throw tooLarge(key, partitions.length);
    }
    counters.opened(partitions.length);
    return built;
  }

  private OpenReply absent(int[] partitions, Presence presence) {
    OpenReply.Builder reply = OpenReply.newBuilder().setEpoch(epoch);
    for (int partition : partitions) {
      reply.addPartitions(
          PartitionState.newBuilder().setPartition(partition).setPresence(presence));
    }
    counters.opened(partitions.length);
    return reply.build();
  }

  private SluiceException tooLarge(ShuffleKey key, int partitions) {
    return Identifiers.badRequest(
        key
            + ": the reply for "
            + partitions
            + " partitions exceeds the maximum of "
            + limits.maxHeadLength()
            + " bytes, open fewer partitions per request");
  }

  /** Maximum number of slice marks of each partition in the reply to an Open. */
  private static int maxMarks(int partitions) {
    return Math.min(
        SliceMarkSnapshot.MAX_MARKS, Math.max(1, MAX_REPLY_MARKS / Math.max(1, partitions)));
  }

  private static PartitionState.Builder state(
      Open open, int partition, OpenSnapshot.Partition found, boolean earlierEpoch) {
    PartitionState.Builder state = PartitionState.newBuilder().setPartition(partition);
    if (found == null) {
      return state.setPresence(earlierEpoch ? Presence.DATA_LOST : Presence.PARTITION_EMPTY);
    }
    state
        .setPresence(Presence.PRESENT)
        .setLength(found.length())
        .setCompleteAttempts(found.completeSet());
    for (OpenSnapshot.Stretch lost : found.lost()) {
      state.addLost(LostStretch.newBuilder().setOffset(lost.offset()).setLength(lost.length()));
    }
    int maxMarks = maxMarks(open.getPartitionsCount());
    List<OpenSnapshot.Mark> marks =
        open.getEndMapIndex() == 0
            ? found.marks().all(maxMarks)
            : found.marks().of(open.getFirstMapIndex(), open.getEndMapIndex(), maxMarks);
    for (OpenSnapshot.Mark mark : marks) {
      state.addSliceMarks(
          SliceMark.newBuilder()
              .setOffset(mark.offset())
              .setLength(mark.length())
              .setMinMapIndex(mark.minMapIndex())
              .setMaxMapIndex(mark.maxMapIndex()));
    }
    return state;
  }
}
