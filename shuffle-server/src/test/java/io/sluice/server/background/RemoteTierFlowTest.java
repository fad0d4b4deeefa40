package io.sluice.server.background;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.common.block.BlockHeader;
import io.sluice.server.catalog.InMemoryCatalog;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskLimits;
import io.sluice.server.disk.Disks;
import io.sluice.server.disk.InMemoryStorage;
import io.sluice.server.disk.RunFiles;
import io.sluice.server.disk.StorageKind;
import io.sluice.server.log.BlockBatch;
import io.sluice.server.log.BlockBytes;
import io.sluice.server.log.LogRange;
import io.sluice.server.log.PieceBytes;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.log.StoreConfig;
import io.sluice.server.memory.MemoryBudget;
import io.sluice.server.memory.MemoryConfig;
import io.sluice.server.observe.ServerCounters;
import io.sluice.server.remote.InMemoryRemoteFileSystem;
import io.sluice.server.remote.RemoteStorage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Spills and moves to a remote tier, without loss of data. */
@Timeout(60)
class RemoteTierFlowTest {
  private static final int SLAB = 4096;
  private static final int WORTHWHILE = 16 * SLAB;
  private static final DiskLimits LIMITS = new DiskLimits(95, 85, 3, 0, 0);

  private final AtomicLong memoryAsked = new AtomicLong();
  private final MemoryBudget memory =
      new MemoryBudget(new MemoryConfig(128 * SLAB, SLAB, 75, 25), this::memoryNanoTime);
  private final ShuffleStore store = new ShuffleStore(StoreConfig.DEFAULT);
  private final InMemoryStorage localStorage = new InMemoryStorage("local", StorageKind.HDD);
  private final InMemoryRemoteFileSystem files = new InMemoryRemoteFileSystem();
  private final RemoteStorage remoteStorage =
      new RemoteStorage(
          "remote",
          files,
          "host_1",
          () -> {
            throw new IOException("its directory is adopted in no test");
          },
          Long.MAX_VALUE,
          WORTHWHILE);
  private final Disk local =
      new Disk(localStorage, new InMemoryCatalog(), LIMITS, System::nanoTime);
  private final Disk remote =
      new Disk(remoteStorage, new InMemoryCatalog(), LIMITS, System::nanoTime);
  private final Disks disks = new Disks(List.of(local, remote));
  private final RunFiles runs = new RunFiles(8);
  private final ServerCounters counters = new ServerCounters();
  private final Spiller spiller =
      new Spiller(
          store,
          memory,
          disks,
          new SpillPolicy(new SpillConfig(1 << 20, 1 << 20)),
          new SpillWriter(1, runs, new Random(3), counters),
          System::nanoTime);
  private final Demoter demoter = new Demoter(disks, runs, 1L << 40, counters, System::nanoTime);

  /** Attempts that were appended to each shuffle. */
  private final Map<ShuffleKey, List<Integer>> appended = new HashMap<>();

  private int attempts;

  @BeforeEach
  void start() {
    runs.start();
    spiller.start();
  }

  @AfterEach
  void everythingIsReleased() {
    files.failAlways(false);
    spiller.close();
    demoter.close();
    store.applications().forEach(store::removeApplication);
    store.close();
    runs.close();
    assertThat(memory.usedBytes()).isZero();
    assertThat(localStorage.list()).isEmpty();
    assertThat(files.paths()).isEmpty();
    assertThat(files.openInputs()).isZero();
  }

  @Test
  void spillsToLocalDisksWhileTheyHaveSpace() throws Exception {
    append("app", 100);
    await(() -> memory.usedBytes() <= 40 * SLAB);
    assertThat(files.paths()).isEmpty();
    checkEveryBlock();
  }

  @Test
  void spillsALargeShuffleToTheRemoteTierIfLocalDisksAreFull() throws Exception {
    fillLocal();
    append("app", 100);
    await(() -> memory.usedBytes() <= 40 * SLAB);
    assertThat(files.paths())
        .isNotEmpty()
        .allMatch(path -> path.matches("app/host_1/[0-9a-f]{32}\\.run"));
    assertThat(localStorage.list()).isEmpty();
    checkEveryBlock();
  }

  @Test
  void keepsSmallShufflesInMemoryUntilLocalDisksHaveSpaceAgain() throws Exception {
    fillLocal();
    for (int i = 0; i < 10; i++) {
      append("app-" + i, 10);
    }
    // The planner expires grants each time it runs, for which the memory reads the clock.
    long asked = memoryAsked.get();
    await(() -> memoryAsked.get() > asked + 10);
    assertThat(files.paths()).isEmpty();
    localStorage.capacityBytes(1L << 40);
    local.refresh();
    spiller.signal();
    // Below the high watermark, and the remaining bytes would be less than a quarter of the longest
    // run.
    await(() -> memory.usedBytes() <= 64 * SLAB);
    assertThat(localStorage.list()).isNotEmpty();
    assertThat(files.paths()).isEmpty();
    checkEveryBlock();
  }

  @Test
  void writesEverythingToTheRemoteTierAtAStopIfLocalDisksAreFull() throws Exception {
    fillLocal();
    append("app", 3);
    assertThat(spiller.flushAll(20_000)).isTrue();
    assertThat(files.paths()).hasSize(1);
    checkEveryBlock();
  }

  @Test
  void movesLargeRunsFirstUntilTheLowWatermark() throws Exception {
    spill("small", 4);
    spill("large", 60);
    spill("other", 4);
    limitLocal(1.0);
    demoter.demote();
    assertThat(files.paths()).singleElement().asString().startsWith("large/host_1/");
    await(() -> localStorage.list().size() == 2 && !local.isFull());
    checkEveryBlock();
    limitLocal(1.0);
    demoter.demote();
    assertThat(files.paths()).as("small runs move when there are no others").hasSizeGreaterThan(1);
    checkEveryBlock();
  }

  @Test
  void losesNothingIfAMoveFails() throws Exception {
    spill("app-0", 20);
    limitLocal(1.0);
    int call = 1;
    while (true) {
      files.failAtCall(call);
      demoter.demote();
      files.failAtCall(0);
      checkEveryBlock();
      runs.deletePending();
      if (!files.paths().isEmpty()) {
        break;
      }
      assertThat(localStorage.list()).as("after failure of call %d", call).hasSize(1);
      assertThat(remote.catalog().runs()).isEmpty();
      call++;
      // A failed run is not retried for a while, but a new mover has no record of the failure.
      new Demoter(disks, runs, 1L << 40, counters, System::nanoTime).demote();
      assertThat(files.paths()).as("moves when nothing fails").hasSize(1);
      beginAgain("app-" + call);
    }
    assertThat(call).isGreaterThan(4);
  }

  /** Starts again with one run on a local disk. */
  private void beginAgain(String application) throws Exception {
    localStorage.capacityBytes(1L << 40);
    local.refresh();
    store.applications().forEach(store::removeApplication);
    appended.clear();
    // Calls that delete files and directories would count as calls of the next move.
    awaitDeletions();
    spill(application, 20);
    limitLocal(1.0);
  }

  @Test
  void deletesTheRemoteFileWithItsShuffle() throws Exception {
    spill("app", 20);
    limitLocal(1.0);
    demoter.demote();
    assertThat(remote.catalog().runs()).hasSize(1);
    store.removeApplication("app");
    appended.clear();
    awaitDeletions();
    assertThat(localStorage.list()).isEmpty();
    assertThat(files.paths()).isEmpty();
    assertThat(remote.catalog().runs()).isEmpty();
    assertThat(files.deletedDirectories()).contains("app/host_1", "app");
  }

  @Test
  void returnsTheLocationOfARemoteRun() throws Exception {
    spill("app", 20);
    String file = localStorage.list().get(0).file();
    assertThat(localStorage.location(file)).isEmpty();
    limitLocal(1.0);
    demoter.demote();
    assertThat(remoteStorage.location(file)).contains("memory:/shuffle/app/host_1/" + file);
  }

  /** Waits until files of failed moves and their directories are deleted. */
  private void awaitDeletions() throws Exception {
    for (Disk disk : disks.list()) {
      CompletableFuture<Void> deleted = new CompletableFuture<>();
      runs.onThreadOf(disk, () -> deleted.complete(null));
      deleted.get(30, TimeUnit.SECONDS);
    }
  }

  private long memoryNanoTime() {
    memoryAsked.incrementAndGet();
    return System.nanoTime();
  }

  private void fillLocal() {
    localStorage.capacityBytes(0);
    local.refresh();
    assertThat(local.isFull()).isTrue();
  }

  /** Sets the capacity of the local disk to a share of its stored bytes. */
  private void limitLocal(double share) throws IOException {
    long stored = localStorage.list().stream().mapToLong(entry -> entry.length()).sum();
    localStorage.capacityBytes((long) (stored * share));
    local.refresh();
  }

  private void spill(String application, int blocks) throws Exception {
    append(application, blocks);
    assertThat(spiller.flushAll(20_000)).isTrue();
  }

  private void append(String application, int blocks) throws Exception {
    ShuffleKey key = new ShuffleKey(application, 1);
    List<Integer> its = appended.computeIfAbsent(key, unused -> new ArrayList<>());
    for (int i = 0; i < blocks; i++) {
      int attempt = attempts++;
      ByteBuf body = memory.tryAllocate(application, SLAB);
      body.writeBytes(block(attempt));
      BlockBatch batch = new BlockBatch(1);
      batch.add(BlockHeader.read(body, 0, SLAB));
      store.findOrCreate(key).append(body, SLAB, batch);
      its.add(attempt);
    }
    memory.signalIfTight();
  }

  private static byte[] block(int attempt) {
    return BlockBytes.block(
        attempt,
        attempt,
        0,
        0,
        true,
        BlockBytes.payload(new Random(attempt), SLAB - BlockHeader.LENGTH));
  }

  private void checkEveryBlock() throws Exception {
    for (Map.Entry<ShuffleKey, List<Integer>> each : appended.entrySet()) {
      List<Integer> its = each.getValue();
      for (int i = 0; i < its.size(); i++) {
        LogRange range = new LogRange(0, (long) i * SLAB, SLAB);
        assertThat(PieceBytes.read(store.find(each.getKey()).read(List.of(range))))
            .isEqualTo(Unpooled.wrappedBuffer(block(its.get(i))));
      }
    }
  }

  private static void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("deadline").isLessThan(deadline);
      Thread.onSpinWait();
    }
  }
}
