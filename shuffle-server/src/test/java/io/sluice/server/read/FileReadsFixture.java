package io.sluice.server.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.server.catalog.InMemoryCatalog;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskLimits;
import io.sluice.server.disk.FailedRead;
import io.sluice.server.disk.InMemoryStorage;
import io.sluice.server.disk.PageCache;
import io.sluice.server.disk.StorageKind;
import io.sluice.server.log.LogPiece;
import io.sluice.transport.server.ClientConnection;
import io.sluice.transport.server.FetchedBytes;
import io.sluice.transport.server.RequestMemory;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * Reads of files whose reader threads a test runs explicitly; a task that does not run simulates a
 * hanging disk. Every test ends with everything released.
 */
abstract class FileReadsFixture {
  static final int TIMEOUT_MS = 1_000;
  static final ClientConnection CLIENT = client(0);

  @TempDir Path directory;

  private final Random random = new Random(3);
  final AtomicLong nanos = new AtomicLong();
  final ManualTimer timer = new ManualTimer();
  final ReadBudget budget = new ReadBudget(8_000);
  final RequestMemory requestMemory = new RequestMemory(1 << 20);
  final DiskReadCounters counters = new DiskReadCounters();
  private final Map<Disk, Deque<Runnable>> threads = new HashMap<>();
  final List<String> health = new ArrayList<>();
  final List<String> dropped = new ArrayList<>();
  final List<String> readAhead = new ArrayList<>();
  private final List<FakeRun> runs = new ArrayList<>();
  private final List<CompletableFuture<FetchedBytes>> answers = new ArrayList<>();
  final Disk ssd = disk("ssd", StorageKind.SSD);
  final Disk hdd = disk("hdd", StorageKind.HDD);
  final byte[] content = new byte[10_000];
  private FileChannel file;
  boolean cached;

  /** Whether the bytes of the next query are in memory. */
  boolean nextCached;

  /** Number of queries of the page cache. */
  int queries;

  boolean memoryShort;
  private final ByteBufAllocator allocator = new ShortAllocator();
  final FileReads reads = reads(budget);

  FileReads reads(ReadBudget readBudget) {
    return new FileReads(
        new DiskReadConfig(TIMEOUT_MS, 2, 1, 5, 1_000, true),
        readBudget,
        requestMemory,
        new FakeCache(),
        allocator,
        disk -> threads.computeIfAbsent(disk, unused -> new ArrayDeque<>())::add,
        timer,
        new FakeHealth(),
        counters,
        nanos::get);
  }

  @BeforeEach
  void makeFile() throws IOException {
    random.nextBytes(content);
    Path path = directory.resolve("file");
    Files.write(path, content);
    file = FileChannel.open(path, StandardOpenOption.READ);
  }

  @AfterEach
  void everythingIsReleased() throws IOException {
    reads.close();
    for (Disk disk : threads.keySet()) {
      runThreads(disk);
    }
    for (CompletableFuture<FetchedBytes> answer : answers) {
      if (!answer.isCompletedExceptionally()) {
        answer.join().close();
      }
    }
    assertThat(runs).allMatch(run -> run.readers() == 0);
    assertThat(budget.usedBytes()).isZero();
    assertThat(requestMemory.usedBytes()).isZero();
    assertThat(reads.queuedReads()).isZero();
    assertThat(timer.pending()).isZero();
    timer.shutdownNow();
    file.close();
  }

  static ClientConnection client(int number) {
    return new ClientConnection("app-" + number % 2, "test", "peer-" + number);
  }

  private Disk disk(String name, StorageKind kind) {
    return new Disk(
        new InMemoryStorage(name, kind), new InMemoryCatalog(), DiskLimits.DEFAULT, nanos::get);
  }

  FakeRun run(Disk disk) {
    return run(disk, () -> file);
  }

  FakeRun run(Disk disk, FakeRun.Opener opener) {
    FakeRun run = new FakeRun(disk, opener);
    runs.add(run);
    return run;
  }

  static LogPiece piece(FakeRun run, int position, int length) {
    return new LogPiece.InFile(retained(run), position, length);
  }

  static FakeRun retained(FakeRun run) {
    run.retain();
    return run;
  }

  /** Starts a fetch whose result is ignored. */
  void begin(ClientConnection client, FakeRun run, int length) {
    CompletableFuture<FetchedBytes> unused = fetch(client, run, 0, length);
  }

  CompletableFuture<FetchedBytes> fetch(FakeRun run, int position, int length) {
    return fetch(CLIENT, run, position, length);
  }

  CompletableFuture<FetchedBytes> fetch(
      ClientConnection client, FakeRun run, int position, int length) {
    CompletableFuture<FetchedBytes> answer =
        reads.read(client, 7, List.of(piece(run, position, length)), false);
    answers.add(answer);
    return answer;
  }

  void runThreads(Disk disk) {
    Deque<Runnable> tasks = threads.getOrDefault(disk, new ArrayDeque<>());
    while (!tasks.isEmpty()) {
      tasks.removeFirst().run();
    }
  }

  void pass(long ms) {
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(ms));
  }

  FetchedBytes now(CompletableFuture<FetchedBytes> answer, Disk disk) {
    runThreads(disk);
    return now(answer);
  }

  static FetchedBytes now(CompletableFuture<FetchedBytes> answer) {
    assertThat(answer).isDone();
    return answer.join();
  }

  static StatusCode refusal(CompletableFuture<FetchedBytes> answer) {
    assertThat(answer).isCompletedExceptionally();
    try {
      answer.join();
    } catch (CompletionException e) {
      return ((SluiceException) e.getCause()).code();
    }
    throw new AssertionError("not refused");
  }

  byte[] part(int from, int length) {
    byte[] part = new byte[length];
    System.arraycopy(content, from, part, 0, length);
    return part;
  }

  static byte[] concat(byte[]... parts) {
    ByteBuf all = Unpooled.wrappedBuffer(parts);
    byte[] bytes = new byte[all.readableBytes()];
    all.readBytes(bytes);
    return bytes;
  }

  static byte[] bytes(FetchedBytes fetched) throws IOException {
    ByteBuf all = Unpooled.buffer();
    for (FetchedBytes.Piece piece : fetched.pieces()) {
      if (piece instanceof FetchedBytes.MemoryPiece memory) {
        all.writeBytes(memory.buffer(), memory.buffer().readerIndex(), piece.length());
      } else {
        FetchedBytes.FilePiece lies = (FetchedBytes.FilePiece) piece;
        all.writeBytes(lies.channel(), lies.position(), lies.length());
      }
    }
    byte[] bytes = new byte[all.readableBytes()];
    all.readBytes(bytes);
    return bytes;
  }

  private final class FakeCache extends PageCache.Unknown {
    @Override
    public boolean isCached(FileChannel channel, long position, int length) {
      queries++;
      boolean isCached = cached || nextCached;
      nextCached = false;
      return isCached;
    }

    @Override
    public void drop(FileChannel channel, long position, long length) {
      if (memoryShort) {
        throw new OutOfMemoryError("direct");
      }
      dropped.add(position + "+" + length);
    }

    @Override
    public void readAhead(FileChannel channel, long position, long length) {
      readAhead.add(position + "+" + length);
    }
  }

  /** Fails to allocate direct memory while {@code memoryShort} is set. */
  private final class ShortAllocator extends AbstractByteBufAllocator {
    ShortAllocator() {
      super(true);
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
      return UnpooledByteBufAllocator.DEFAULT.heapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
      if (memoryShort) {
        throw new OutOfMemoryError("direct");
      }
      return UnpooledByteBufAllocator.DEFAULT.directBuffer(initialCapacity, maxCapacity);
    }

    @Override
    public boolean isDirectBufferPooled() {
      return false;
    }
  }

  private final class FakeHealth implements ReadResultListener {
    @Override
    public void readSucceeded(Disk disk, long bytes, long took) {
      health.add(disk.name() + " read " + bytes);
    }

    @Override
    public void readFailed(Disk disk, FailedRead read, IOException problem) {
      health.add(disk.name() + " failed");
    }

    @Override
    public void readTimedOut(Disk disk, long waited) {
      health.add(disk.name() + " timed out");
    }
  }
}
