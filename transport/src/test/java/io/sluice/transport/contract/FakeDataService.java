package io.sluice.transport.contract;

import io.netty.buffer.ByteBuf;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.Fetch;
import io.sluice.proto.FetchReply;
import io.sluice.proto.Hello;
import io.sluice.proto.HelloReply;
import io.sluice.proto.Open;
import io.sluice.proto.OpenReply;
import io.sluice.proto.PartitionState;
import io.sluice.proto.Push;
import io.sluice.proto.PushAck;
import io.sluice.proto.Range;
import io.sluice.transport.protocol.ConnectionGuard;
import io.sluice.transport.protocol.FrameLimits;
import io.sluice.transport.server.BodyMemory;
import io.sluice.transport.server.ClientConnection;
import io.sluice.transport.server.DataService;
import io.sluice.transport.server.FetchedBytes;
import io.sluice.transport.server.RequestMemory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A service that stores bodies unchanged: the body of a push to shuffle n is appended to partition
 * n. Thread-safe.
 */
public final class FakeDataService implements DataService, AutoCloseable {
  static final long EPOCH = 77;

  private final FrameLimits limits;
  private final BodyMemory memory;
  private final RequestMemory requestMemory = new RequestMemory(16 << 20);
  private final FileChannel file;
  private final Map<Integer, List<StoredRange>> partitions = new TreeMap<>();
  private final List<CompletableFuture<OpenReply>> pendingOpens = new ArrayList<>();
  private final AtomicInteger fetchesInUse = new AtomicInteger();
  private final AtomicInteger pushes = new AtomicInteger();
  private volatile String pushThread;
  private final List<Runnable> pendingFetches = new ArrayList<>();
  private boolean delayFetches;
  private long fileLength;
  private boolean keepBodies = true;
  private SluiceException nextRefusal;
  private RuntimeException nextFailure;
  private final AtomicInteger fetches = new AtomicInteger();

  /** Bytes of a partition: in memory, or in the file at a position. */
  private record StoredRange(ByteBuf memory, long position, int length) {}

  private volatile ConnectionGuard guard = ConnectionGuard.OPEN;

  public FakeDataService(BodyMemory memory, FrameLimits limits, Path directory) throws IOException {
    this.memory = memory;
    this.limits = limits;
    this.file =
        FileChannel.open(
            directory.resolve("run"),
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE);
  }

  /** Whether pushed bodies are kept until {@link #spill} or {@link #clear}, or freed at once. */
  public synchronized void keepBodies(boolean keep) {
    keepBodies = keep;
  }

  /** Refuses the next push with this exception. */
  synchronized void refuseNextPush(SluiceException refusal) {
    nextRefusal = refusal;
  }

  /** Fails the next push with an unexpected exception. */
  synchronized void failNextPush(RuntimeException failure) {
    nextFailure = failure;
  }

  int fetches() {
    return fetches.get();
  }

  /** Name of the thread that handled the last push. */
  String pushThread() {
    return pushThread;
  }

  int pushes() {
    return pushes.get();
  }

  int fetchesInUse() {
    return fetchesInUse.get();
  }

  synchronized int pendingOpens() {
    return pendingOpens.size();
  }

  void completePendingOpens() {
    completePendingOpens(OpenReply.newBuilder().setEpoch(EPOCH).build());
  }

  synchronized void completePendingOpens(OpenReply reply) {
    pendingOpens.forEach(open -> open.complete(reply));
    pendingOpens.clear();
  }

  /** Moves everything from memory to the file. */
  public synchronized void spill() {
    for (List<StoredRange> ranges : partitions.values()) {
      ranges.replaceAll(this::spilled);
    }
  }

  private StoredRange spilled(StoredRange stored) {
    if (stored.memory == null) {
      return stored;
    }
    try {
      ByteBuf bytes = stored.memory.duplicate();
      long position = fileLength;
      while (bytes.isReadable()) {
        bytes.readBytes(file, position + bytes.readerIndex(), bytes.readableBytes());
      }
      fileLength += stored.length;
      stored.memory.release();
      return new StoredRange(null, position, stored.length);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  synchronized void clear() {
    for (List<StoredRange> ranges : partitions.values()) {
      ranges.forEach(
          stored -> {
            if (stored.memory != null) {
              stored.memory.release();
            }
          });
    }
    partitions.clear();
  }

  @Override
  public void close() {
    clear();
    try {
      file.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public long epoch() {
    return EPOCH;
  }

  @Override
  public ConnectionGuard guard() {
    return guard;
  }

  void guard(ConnectionGuard newGuard) {
    guard = newGuard;
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
    if (hello.getApplication().isEmpty()) {
      throw new SluiceException(StatusCode.BAD_REQUEST, "HELLO without an application");
    }
    return HelloReply.newBuilder().setEpoch(EPOCH).setMaxBodyLength(limits.maxBodyLength()).build();
  }

  @Override
  public PushAck push(ClientConnection connection, Push push, ByteBuf body) throws SluiceException {
    synchronized (this) {
      if (nextFailure != null) {
        RuntimeException failure = nextFailure;
        nextFailure = null;
        body.release();
        throw failure;
      }
      if (nextRefusal != null) {
        SluiceException refusal = nextRefusal;
        nextRefusal = null;
        body.release();
        throw refusal;
      }
      if (!keepBodies || !body.isReadable()) {
        body.release();
      } else {
        partitions
            .computeIfAbsent(push.getShuffle().getShuffle(), shuffle -> new ArrayList<>())
            .add(new StoredRange(body, 0, body.readableBytes()));
      }
      pushThread = Thread.currentThread().getName();
      pushes.incrementAndGet();
    }
    return PushAck.newBuilder()
        .setEpoch(EPOCH)
        .setMemoryUsedPermille(memory.usedPermille())
        .build();
  }

  /** An Open with a wait is pending until {@link #completePendingOpens}. */
  @Override
  public synchronized CompletionStage<OpenReply> open(ClientConnection connection, Open open) {
    if (open.getMaxWaitMs() > 0) {
      CompletableFuture<OpenReply> pending = new CompletableFuture<>();
      pendingOpens.add(pending);
      return pending;
    }
    OpenReply.Builder reply = OpenReply.newBuilder().setEpoch(EPOCH);
    for (int partition : open.getPartitionsList()) {
      long length = 0;
      for (StoredRange stored : partitions.getOrDefault(partition, List.of())) {
        length += stored.length;
      }
      reply.addPartitions(PartitionState.newBuilder().setPartition(partition).setLength(length));
    }
    return CompletableFuture.completedFuture(reply.build());
  }

  @Override
  public CompletableFuture<FetchedBytes> fetch(ClientConnection connection, Fetch fetch) {
    FetchedBytes bytes;
    try {
      bytes = find(fetch);
    } catch (SluiceException e) {
      return CompletableFuture.failedFuture(e);
    }
    CompletableFuture<FetchedBytes> answer = new CompletableFuture<>();
    synchronized (this) {
      if (delayFetches) {
        pendingFetches.add(() -> answerOrClose(answer, bytes));
        return answer;
      }
    }
    answer.complete(bytes);
    return answer;
  }

  private static void answerOrClose(CompletableFuture<FetchedBytes> answer, FetchedBytes bytes) {
    if (!answer.complete(bytes)) {
      bytes.close();
    }
  }

  /** Whether later fetches are pending until {@link #completePendingFetches}. */
  synchronized void delayFetches(boolean delay) {
    delayFetches = delay;
  }

  synchronized int pendingFetches() {
    return pendingFetches.size();
  }

  void completePendingFetches() {
    List<Runnable> answers;
    synchronized (this) {
      answers = new ArrayList<>(pendingFetches);
      pendingFetches.clear();
    }
    answers.forEach(Runnable::run);
  }

  private synchronized FetchedBytes find(Fetch fetch) throws SluiceException {
    List<FetchedBytes.Piece> pieces = new ArrayList<>();
    List<ByteBuf> owned = new ArrayList<>();
    int length = 0;
    for (Range range : fetch.getRangesList()) {
      long start = 0;
      long covered = 0;
      for (StoredRange stored : partitions.getOrDefault(range.getPartition(), List.of())) {
        long from = Math.max(range.getOffset(), start) - start;
        long to = Math.min(range.getOffset() + range.getLength(), start + stored.length) - start;
        if (from < to) {
          int part = (int) (to - from);
          if (stored.memory == null) {
            pieces.add(new FetchedBytes.FilePiece(file, stored.position + from, part));
          } else {
            ByteBuf slice = stored.memory.retainedSlice((int) from, part);
            owned.add(slice);
            pieces.add(new FetchedBytes.MemoryPiece(slice));
          }
          covered += part;
        }
        start += stored.length;
      }
      if (covered != range.getLength()) {
        owned.forEach(ByteBuf::release);
        throw new SluiceException(
            StatusCode.OUT_OF_RANGE,
            "partition "
                + range.getPartition()
                + " has "
                + start
                + " bytes, requested range "
                + range.getOffset()
                + "+"
                + range.getLength());
      }
      length += (int) covered;
    }
    fetches.incrementAndGet();
    fetchesInUse.incrementAndGet();
    return new Fetched(pieces, owned, length);
  }

  private final class Fetched implements FetchedBytes {
    private final List<Piece> pieces;
    private final List<ByteBuf> owned;
    private final int length;
    private boolean closed;

    Fetched(List<Piece> pieces, List<ByteBuf> owned, int length) {
      this.pieces = pieces;
      this.owned = owned;
      this.length = length;
    }

    @Override
    public FetchReply head() {
      return FetchReply.newBuilder().setEpoch(EPOCH).build();
    }

    @Override
    public int length() {
      return length;
    }

    @Override
    public List<Piece> pieces() {
      return pieces;
    }

    @Override
    public void close() {
      if (closed) {
        throw new IllegalStateException("closed twice");
      }
      closed = true;
      owned.forEach(ByteBuf::release);
      fetchesInUse.decrementAndGet();
    }
  }
}
