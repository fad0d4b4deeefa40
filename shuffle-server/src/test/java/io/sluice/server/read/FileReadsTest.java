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
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests run the tasks of reader threads explicitly; a task that does not run simulates a hanging
 * disk.
 */
class FileReadsTest {
  private static final int TIMEOUT_MS = 1_000;
  private static final ClientConnection CLIENT = client(0);

  @TempDir Path directory;

  private final Random random = new Random(3);
  private final AtomicLong nanos = new AtomicLong();
  private final ManualTimer timer = new ManualTimer();
  private final ReadBudget budget = new ReadBudget(8_000);
  private final RequestMemory requestMemory = new RequestMemory(1 << 20);
  private final DiskReadCounters counters = new DiskReadCounters();
  private final Map<Disk, Deque<Runnable>> threads = new HashMap<>();
  private final List<String> health = new ArrayList<>();
  private final List<String> dropped = new ArrayList<>();
  private final List<FakeRun> runs = new ArrayList<>();
  private final List<CompletableFuture<FetchedBytes>> answers = new ArrayList<>();
  private final Disk ssd = disk("ssd", StorageKind.SSD);
  private final Disk hdd = disk("hdd", StorageKind.HDD);
  private final byte[] content = new byte[10_000];
  private FileChannel file;
  private boolean cached;
  private boolean memoryShort;
  private final ByteBufAllocator allocator = new ShortAllocator();
  private final FileReads reads = reads(budget);

  private FileReads reads(ReadBudget readBudget) {
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

  @Test
  void answersBytesInMemoryImmediately() throws Exception {
    ByteBuf bytes = Unpooled.buffer().writeBytes(content, 0, 50);
    try (FetchedBytes fetched =
        now(reads.read(CLIENT, 7, List.of(new LogPiece.InMemory(bytes)), false))) {
      assertThat(bytes(fetched)).isEqualTo(part(0, 50));
      assertThat(fetched.head().getEpoch()).isEqualTo(7);
      assertThat(fetched.head().getFromMemory()).isEqualTo(50);
      assertThat(fetched.head().getFileMicros()).isZero();
    }
    assertThat(bytes.refCnt()).isZero();
  }

  @Test
  void answersCachedBytesImmediately() throws Exception {
    FakeRun run = run(ssd);
    now(fetch(run, 0, 10), ssd).close();
    cached = true;
    try (FetchedBytes fetched = now(fetch(run, 100, 200))) {
      assertThat(bytes(fetched)).isEqualTo(part(100, 200));
      assertThat(fetched.pieces()).allMatch(FetchedBytes.FilePiece.class::isInstance);
      assertThat(budget.usedBytes()).isEqualTo(200);
    }
    assertThat(counters.cachedBytes()).isEqualTo(200);
  }

  @Test
  void reportsTheTimeUntilBytesInFilesAreReady() throws Exception {
    CompletableFuture<FetchedBytes> answer = fetch(run(ssd), 100, 200);
    nanos.addAndGet(TimeUnit.MICROSECONDS.toNanos(750));
    runThreads(ssd);
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
    try (FetchedBytes fetched = now(answer)) {
      assertThat(fetched.head().getFileMicros()).isEqualTo(750);
    }
  }

  @Test
  void opensFilesOnReaderThreads() throws Exception {
    cached = true;
    CompletableFuture<FetchedBytes> answer = fetch(run(ssd), 100, 200);
    assertThat(answer).isNotDone();
    runThreads(ssd);
    try (FetchedBytes fetched = now(answer)) {
      assertThat(bytes(fetched)).isEqualTo(part(100, 200));
    }
    assertThat(health).containsExactly("ssd read 200");
  }

  @Test
  void readsPiecesOfSeveralDisksAndOfMemoryInTheirOrder() throws Exception {
    List<LogPiece> pieces = new ArrayList<>();
    pieces.add(piece(run(hdd), 10, 20));
    pieces.add(new LogPiece.InMemory(Unpooled.buffer().writeBytes(content, 500, 5)));
    pieces.add(piece(run(ssd), 30, 40));
    pieces.add(piece(run(hdd), 900, 1));
    CompletableFuture<FetchedBytes> answer = reads.read(CLIENT, 7, pieces, false);
    runThreads(ssd);
    assertThat(answer).isNotDone();
    runThreads(hdd);
    try (FetchedBytes fetched = now(answer)) {
      assertThat(bytes(fetched))
          .isEqualTo(concat(part(10, 20), part(500, 5), part(30, 40), part(900, 1)));
      assertThat(fetched.length()).isEqualTo(66);
    }
  }

  @Test
  void timesOutAReadThatHangsAndKeepsItsFileUntilTheThreadReturns() throws Exception {
    FakeRun run = run(ssd);
    CompletableFuture<FetchedBytes> answer = fetch(run, 0, 100);
    pass(TIMEOUT_MS);
    timer.fire();
    assertThat(refusal(answer)).isEqualTo(StatusCode.STORAGE_FAILED);
    assertThat(run.readers()).as("its thread may still read").isEqualTo(1);
    assertThat(health).containsExactly("ssd timed out");
    runThreads(ssd);
    assertThat(run.readers()).isZero();
    assertThat(counters.timeouts()).isEqualTo(1);
  }

  @Test
  void timesOutAndReleasesAReadQueuedBehindOneThatHangs() throws Exception {
    CompletableFuture<FetchedBytes> hangs = fetch(run(hdd), 0, 100);
    FakeRun waiting = run(hdd);
    CompletableFuture<FetchedBytes> waits = fetch(waiting, 0, 100);
    pass(TIMEOUT_MS);
    timer.fire();
    assertThat(refusal(hangs)).isEqualTo(StatusCode.STORAGE_FAILED);
    assertThat(refusal(waits)).isEqualTo(StatusCode.STORAGE_FAILED);
    assertThat(waiting.readers()).isZero();
    assertThat(budget.usedBytes()).as("the read that hangs").isEqualTo(100);

    assertThat(refusal(fetch(run(hdd), 0, 1))).as("stalled").isEqualTo(StatusCode.STORAGE_FAILED);
    now(fetch(run(ssd), 0, 1), ssd).close();
    runThreads(hdd);
    now(fetch(run(hdd), 0, 1), hdd).close();
  }

  @Test
  void aDiskThatHangsDoesNotUseUpTheBudget() throws Exception {
    for (int i = 0; i < 5; i++) {
      begin(client(i), run(hdd), 3_000);
    }
    assertThat(budget.usedBytes()).as("the running read").isEqualTo(3_000);
    now(fetch(client(9), run(ssd), 0, 4_000), ssd).close();
  }

  @Test
  void limitsTheQueueOfADisk() throws Exception {
    for (int i = 0; i < 6; i++) {
      begin(CLIENT, run(hdd), 10);
    }
    assertThat(refusal(fetch(run(hdd), 0, 10))).isEqualTo(StatusCode.BUSY);
  }

  @Test
  void dropsSentBytesFromThePageCache() throws Exception {
    FakeRun run = run(ssd);
    now(fetch(run, 0, 1), ssd).close();
    cached = true;
    FetchedBytes fetched = now(fetch(run, 100, 200));
    runThreads(ssd);
    assertThat(dropped).isEmpty();
    fetched.close();
    runThreads(ssd);
    assertThat(dropped).as("before the delay").isEmpty();
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(DropBehind.DELAY_MS));
    timer.fire();
    runThreads(ssd);
    assertThat(dropped).containsExactly("100+200");
  }

  @Test
  void dropsBytesSentLaterAfterTheirDelay() throws Exception {
    FakeRun run = run(ssd);
    now(fetch(run, 0, 1), ssd).close();
    cached = true;
    now(fetch(run, 100, 200)).close();
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(DropBehind.DELAY_MS - 1));
    now(fetch(run, 400, 50)).close();
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(1));
    timer.fire();
    runThreads(ssd);
    assertThat(dropped).containsExactly("100+200");
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(DropBehind.DELAY_MS));
    timer.fire();
    runThreads(ssd);
    assertThat(dropped).containsExactly("100+200", "400+50");
  }

  @Test
  void waitsForTheBudget() throws Exception {
    FakeRun run = run(ssd);
    now(fetch(run, 0, 1), ssd).close();
    cached = true;
    FetchedBytes first = now(fetch(run, 0, 6_000));
    CompletableFuture<FetchedBytes> second = fetch(client(1), run, 0, 6_000);
    CompletableFuture<FetchedBytes> third = fetch(client(2), run(hdd), 0, 6_000);
    runThreads(hdd);
    assertThat(second).isNotDone();
    assertThat(third).isNotDone();
    first.close();
    now(second).close();
    now(third, hdd).close();
  }

  @Test
  void releasesBudgetAsBytesAreSent() throws Exception {
    ReadBudget large = new ReadBudget(100 << 20);
    FileReads own = reads(large);
    int length = 4 << 20;
    FakeRun run = run(ssd);
    run.channel();
    cached = true;
    FetchedBytes fetched =
        now(own.read(CLIENT, 7, List.of(new LogPiece.InFile(retained(run), 0, length)), false));
    assertThat(large.usedBytes()).isEqualTo(length);
    fetched.sent(1_000);
    assertThat(large.usedBytes()).as("not after every write").isEqualTo(length);
    fetched.sent(length / 2 - 1_000);
    assertThat(large.usedBytes()).isEqualTo(length / 2);
    fetched.sent(length / 2);
    assertThat(large.usedBytes()).isZero();
    fetched.close();
    assertThat(large.usedBytes()).isZero();
    own.close();
  }

  @Test
  void countsCopiedBytes() throws Exception {
    ReadBudget large = new ReadBudget(100 << 20);
    FileReads own = reads(large);
    ClientConnection copying = new ClientConnection("app-1", "test", "peer", 1_000);
    int length = 2 << 20;
    ByteBuf bytes = Unpooled.buffer().writeZero(length);
    FakeRun run = run(ssd);
    run.channel();
    cached = true;
    FetchedBytes fetched =
        now(
            own.read(
                copying,
                7,
                List.of(
                    new LogPiece.InMemory(bytes), new LogPiece.InFile(retained(run), 0, length)),
                false));
    assertThat(large.usedBytes()).isEqualTo(length + 1_000);
    fetched.sent(length);
    assertThat(large.usedBytes()).as("bytes of the file and of a copy").isEqualTo(length + 1_000);
    fetched.sent(length - 500);
    assertThat(large.usedBytes()).isEqualTo(1_000);
    fetched.close();
    assertThat(large.usedBytes()).isZero();
    own.close();
  }

  @Test
  void anApplicationThatDoesNotReadLeavesOthersTheirShare() throws Exception {
    FakeRun run = run(ssd);
    now(fetch(run, 0, 1), ssd).close();
    cached = true;
    List<FetchedBytes> stuck = new ArrayList<>();
    for (int i = 0; i < 40; i += 2) {
      CompletableFuture<FetchedBytes> answer = fetch(client(i), run, 0, 500);
      if (answer.isDone()) {
        stuck.add(answer.join());
      }
    }
    assertThat(stuck).hasSize(8);
    now(fetch(client(1), run, 0, 1_000)).close();
    now(fetch(client(3), run, 0, 4_000)).close();
    stuck.forEach(FetchedBytes::close);
  }

  @Test
  void countsTheHeapOfItsPiecesUntilItIsClosed() throws Exception {
    List<LogPiece> pieces = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      pieces.add(new LogPiece.InMemory(Unpooled.buffer().writeBytes(content, i, 1)));
    }
    FetchedBytes fetched = now(reads.read(CLIENT, 7, pieces, false));
    assertThat(requestMemory.usedBytes()).isBetween(100_000L, 1_000_000L);
    fetched.close();
    assertThat(requestMemory.usedBytes()).isZero();
  }

  @Test
  void timesOutAFetchThatWaitsForTheBudget() throws Exception {
    FakeRun run = run(ssd);
    now(fetch(run, 0, 1), ssd).close();
    cached = true;
    FetchedBytes first = now(fetch(run, 0, 8_000));
    CompletableFuture<FetchedBytes> second = fetch(client(1), run, 0, 10);
    CompletableFuture<FetchedBytes> third = fetch(client(1), run(hdd), 0, 10);
    pass(TIMEOUT_MS);
    timer.fire();
    assertThat(refusal(second)).isEqualTo(StatusCode.BUSY);
    assertThat(refusal(third)).isEqualTo(StatusCode.BUSY);
    first.close();
  }

  @Test
  void skipsACancelledRead() throws Exception {
    begin(CLIENT, run(hdd), 100);
    FakeRun run = run(hdd);
    CompletableFuture<FetchedBytes> answer = fetch(run, 0, 100);
    answer.cancel(false);
    runThreads(hdd);
    assertThat(run.readers()).isZero();
    assertThat(counters.readBytes()).as("only the other read").isEqualTo(100);
  }

  @Test
  void mapsFailuresToStatusCodes() throws Exception {
    FakeRun missing =
        run(
            ssd,
            () -> {
              throw new NoSuchFileException("x.run");
            });
    CompletableFuture<FetchedBytes> answer = fetch(missing, 0, 10);
    runThreads(ssd);
    assertThat(refusal(answer)).isEqualTo(StatusCode.LOST);
    FakeRun broken =
        run(
            ssd,
            () -> {
              throw new IOException("Input/output error");
            });
    answer = fetch(broken, 0, 10);
    runThreads(ssd);
    assertThat(refusal(answer)).isEqualTo(StatusCode.STORAGE_FAILED);
    answer = fetch(run(ssd), content.length - 5, 10);
    runThreads(ssd);
    assertThat(refusal(answer)).as("file too short").isEqualTo(StatusCode.STORAGE_FAILED);
    assertThat(counters.failures()).isEqualTo(3);
    assertThat(health).containsExactly("ssd failed", "ssd failed", "ssd failed");
  }

  @Test
  void lackOfMemoryIsReportedAsBusyAndNotAsADiskFailure() throws Exception {
    memoryShort = true;
    for (int i = 0; i < 20; i++) {
      CompletableFuture<FetchedBytes> answer = fetch(run(ssd), 0, 100);
      runThreads(ssd);
      assertThat(refusal(answer)).isEqualTo(StatusCode.BUSY);
      assertThat(budget.usedBytes()).isZero();
    }
    memoryShort = false;
    now(fetch(run(ssd), 0, 100), ssd).close();
    assertThat(health).containsExactly("ssd read 100");
  }

  @Test
  void anInternalErrorIsNotADiskFailure() throws Exception {
    FakeRun run =
        run(
            ssd,
            () -> {
              throw new IllegalStateException("injected error");
            });
    CompletableFuture<FetchedBytes> answer = fetch(run, 0, 10);
    runThreads(ssd);
    assertThat(refusal(answer)).isEqualTo(StatusCode.INTERNAL);
    assertThat(health).isEmpty();
  }

  @Test
  void opensAFileForAnotherProcessOrFails() throws Exception {
    Deque<Throwable> problems =
        new ArrayDeque<>(
            List.of(
                new IOException("Input/output error"),
                new OutOfMemoryError("direct"),
                new IllegalStateException("injected error")));
    FakeRun run =
        run(
            ssd,
            () -> {
              Throwable problem = problems.removeFirst();
              if (problem instanceof IOException io) {
                throw io;
              }
              if (problem instanceof Error error) {
                throw error;
              }
              throw (RuntimeException) problem;
            });
    for (Throwable problem : List.copyOf(problems)) {
      CompletableFuture<FileChannel> opening = reads.openOwn(run);
      runThreads(ssd);
      assertThat(opening)
          .isCompletedExceptionally()
          .failsWithin(Duration.ZERO)
          .withThrowableOfType(ExecutionException.class)
          .withCause(problem);
    }
    assertThat(health).containsExactly("ssd failed");
  }

  @Test
  void limitsTheFilesThatWaitToBeOpened() throws Exception {
    List<CompletableFuture<FileChannel>> opening = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      opening.add(reads.openOwn(run(ssd)));
    }
    assertThat(opening.subList(0, 5)).noneMatch(CompletableFuture::isDone);
    assertThat(opening.get(5)).isCompletedExceptionally();
    runThreads(ssd);
    assertThat(opening.subList(0, 5)).noneMatch(CompletableFuture::isCompletedExceptionally);
    CompletableFuture<FileChannel> after = reads.openOwn(run(ssd));
    runThreads(ssd);
    assertThat(after).isCompleted();
  }

  @Test
  void aFailedReadAheadReleasesItsReference() throws Exception {
    FakeRun run = run(ssd);
    now(fetch(run, 0, 1), ssd).close();
    cached = true;
    memoryShort = true;
    now(fetch(run, 100, 200)).close();
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(DropBehind.DELAY_MS));
    timer.fire();
    runThreads(ssd);
    assertThat(run.readers()).isZero();
    assertThat(health).containsExactly("ssd read 1");
  }

  @Test
  void refusesWhenClosed() throws Exception {
    CompletableFuture<FetchedBytes> underWay = fetch(run(hdd), 0, 100);
    CompletableFuture<FetchedBytes> waits = fetch(run(hdd), 0, 100);
    reads.close();
    assertThat(refusal(waits)).isEqualTo(StatusCode.STORAGE_FAILED);
    assertThat(refusal(fetch(run(ssd), 0, 100))).isEqualTo(StatusCode.STORAGE_FAILED);
    runThreads(hdd);
    now(underWay).close();
  }

  private static ClientConnection client(int number) {
    return new ClientConnection("app-" + number % 2, "test", "peer-" + number);
  }

  private Disk disk(String name, StorageKind kind) {
    return new Disk(
        new InMemoryStorage(name, kind), new InMemoryCatalog(), DiskLimits.DEFAULT, nanos::get);
  }

  private FakeRun run(Disk disk) {
    return run(disk, () -> file);
  }

  private FakeRun run(Disk disk, FakeRun.Opener opener) {
    FakeRun run = new FakeRun(disk, opener);
    runs.add(run);
    return run;
  }

  private static LogPiece piece(FakeRun run, int position, int length) {
    return new LogPiece.InFile(retained(run), position, length);
  }

  private static FakeRun retained(FakeRun run) {
    run.retain();
    return run;
  }

  /** Starts a fetch whose result is ignored. */
  private void begin(ClientConnection client, FakeRun run, int length) {
    CompletableFuture<FetchedBytes> unused = fetch(client, run, 0, length);
  }

  private CompletableFuture<FetchedBytes> fetch(FakeRun run, int position, int length) {
    return fetch(CLIENT, run, position, length);
  }

  private CompletableFuture<FetchedBytes> fetch(
      ClientConnection client, FakeRun run, int position, int length) {
    CompletableFuture<FetchedBytes> answer =
        reads.read(client, 7, List.of(piece(run, position, length)), false);
    answers.add(answer);
    return answer;
  }

  private void runThreads(Disk disk) {
    Deque<Runnable> tasks = threads.getOrDefault(disk, new ArrayDeque<>());
    while (!tasks.isEmpty()) {
      tasks.removeFirst().run();
    }
  }

  private void pass(long ms) {
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(ms));
  }

  private FetchedBytes now(CompletableFuture<FetchedBytes> answer, Disk disk) {
    runThreads(disk);
    return now(answer);
  }

  private static FetchedBytes now(CompletableFuture<FetchedBytes> answer) {
    assertThat(answer).isDone();
    return answer.join();
  }

  private static StatusCode refusal(CompletableFuture<FetchedBytes> answer) {
    assertThat(answer).isCompletedExceptionally();
    try {
      answer.join();
    } catch (CompletionException e) {
      return ((SluiceException) e.getCause()).code();
    }
    throw new AssertionError("not refused");
  }

  private byte[] part(int from, int length) {
    byte[] part = new byte[length];
    System.arraycopy(content, from, part, 0, length);
    return part;
  }

  private static byte[] concat(byte[]... parts) {
    ByteBuf all = Unpooled.wrappedBuffer(parts);
    byte[] bytes = new byte[all.readableBytes()];
    all.readBytes(bytes);
    return bytes;
  }

  private static byte[] bytes(FetchedBytes fetched) throws IOException {
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

  private final class FakeCache implements PageCache {
    @Override
    public boolean isCached(FileChannel channel, long position, int length) {
      return cached;
    }

    @Override
    public boolean load(FileChannel channel, long position, int length) {
      return false;
    }

    @Override
    public void drop(FileChannel channel, long position, long length) {
      if (memoryShort) {
        throw new OutOfMemoryError("direct");
      }
      dropped.add(position + "+" + length);
    }

    @Override
    public void readAhead(FileChannel channel, long position, long length) {}
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
