package io.sluice.server.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.sluice.common.run.RunHeader;
import io.sluice.common.run.RunId;
import io.sluice.common.run.RunOrder;
import io.sluice.common.run.RunWriter;
import io.sluice.server.catalog.CleanStop;
import io.sluice.server.catalog.InMemoryCatalog;
import io.sluice.server.catalog.RunRecord;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskLimits;
import io.sluice.server.disk.InMemoryStorage;
import io.sluice.server.disk.RunFiles;
import io.sluice.server.disk.Storage;
import io.sluice.server.disk.StorageKind;
import io.sluice.server.log.BlockBytes;
import io.sluice.server.log.OpenSnapshot;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.log.StoreConfig;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One disk fails or hangs while a server starts: the others are recovered. */
@Timeout(60)
class RecoveryFaultsTest {
  private static final long LAST = 100;
  private static final long EPOCH = 200;

  private final InMemoryStorage goodStorage = new InMemoryStorage("good", StorageKind.SSD);
  private final InMemoryStorage badStorage = new InMemoryStorage("bad", StorageKind.SSD);
  private final InMemoryCatalog goodCatalog = new InMemoryCatalog();
  private final InMemoryCatalog badCatalog = new InMemoryCatalog();
  private final CountDownLatch hanging = new CountDownLatch(1);
  private final CountDownLatch listing = new CountDownLatch(1);
  private final RunFiles files = new RunFiles(4);
  private final ShuffleStore store = new ShuffleStore(StoreConfig.DEFAULT);

  @AfterEach
  void close() {
    hanging.countDown();
    store.close();
    files.close();
  }

  private static Disk disk(Storage storage, InMemoryCatalog catalog) {
    return new Disk(storage, catalog, DiskLimits.DEFAULT, System::nanoTime);
  }

  private void addRuns() throws IOException {
    add(goodStorage, goodCatalog, 1);
    add(badStorage, badCatalog, 2);
    for (InMemoryCatalog catalog : List.of(goodCatalog, badCatalog)) {
      catalog.recordCleanStop(new CleanStop(LAST, LAST, 2));
    }
  }

  private static void add(InMemoryStorage storage, InMemoryCatalog catalog, int number)
      throws IOException {
    add(storage, catalog, number, new ShuffleKey("app", number), 0);
  }

  /** Adds a run with one block of an attempt in each of some partitions. */
  private static void add(
      InMemoryStorage storage,
      InMemoryCatalog catalog,
      int number,
      ShuffleKey shuffle,
      int... partitions)
      throws IOException {
    RunId id = new RunId(number, number);
    RunOrder order = new RunOrder(LAST, number);
    try (Storage.NewFile file = storage.create(RunFiles.fileName(id))) {
      RunWriter writer =
          new RunWriter(
              file.channel(), new RunHeader(id, order, shuffle.application(), shuffle.shuffle()));
      for (int partition : partitions) {
        byte[] block = BlockBytes.block(number, number, partition, 0, true, new byte[50]);
        writer.writePartition(partition, 0, List.of(Unpooled.wrappedBuffer(block)));
      }
      long length = writer.finish();
      file.commit();
      catalog.add(new RunRecord(id, shuffle, order, length, List.of()));
    }
  }

  private RecoveryResult recover(List<Disk> disks, long timeoutMs) throws Exception {
    Recovery recovery = new Recovery(disks, files, store, timeoutMs, System::nanoTime);
    return recovery.restore(recovery.find(), LAST, EPOCH);
  }

  @Test
  void anUnreadableCatalogLosesItsOwnRunsOnly() throws Exception {
    addRuns();
    badCatalog.failWith(new IOException("injected"));

    RecoveryResult recovered =
        recover(List.of(disk(badStorage, badCatalog), disk(goodStorage, goodCatalog)), 30_000);

    assertThat(recovered.runs()).isEqualTo(1);
    assertThat(recovered.wholeSinceEpoch()).isEqualTo(EPOCH);
    assertThat(store.find(new ShuffleKey("app", 1))).isNotNull();
    assertThat(badStorage.list()).as("files are kept if the catalog is unreadable").hasSize(1);
  }

  @Test
  void unreadableFilesAreKeptForTheNextStart() throws Exception {
    addRuns();
    Disk unreadable =
        disk(
            new Wrapped(badStorage) {
              @Override
              public FileChannel open(String file) throws IOException {
                throw new IOException("injected failure of open");
              }
            },
            badCatalog);

    RecoveryResult recovered = recover(List.of(unreadable, disk(goodStorage, goodCatalog)), 30_000);

    assertThat(recovered.runs()).isEqualTo(1);
    assertThat(recovered.lostRuns()).isEqualTo(1);
    assertThat(recovered.wholeSinceEpoch()).isEqualTo(EPOCH);
    assertThat(badStorage.list()).hasSize(1);
    assertThat(badCatalog.runs()).hasSize(1);
  }

  @Test
  void aRunThatFailsDuringItsRestoreIsLostAndTheOthersAreCountedAgain() throws Exception {
    ShuffleKey shuffle = new ShuffleKey("app", 1);
    add(goodStorage, goodCatalog, 1, shuffle, 0);
    add(badStorage, badCatalog, 2, shuffle, 0, 1);
    goodCatalog.recordCleanStop(new CleanStop(LAST, LAST, 2));
    badCatalog.recordCleanStop(new CleanStop(LAST, LAST, 2));
    List<Disk> disks = List.of(disk(badStorage, badCatalog), disk(goodStorage, goodCatalog));
    AtomicInteger calls = new AtomicInteger();
    badStorage.beforeCall(calls::incrementAndGet);
    Recovery recovery = new Recovery(disks, files, store, 30_000, System::nanoTime);
    ScanResult found = recovery.find();
    int ofScan = calls.get();
    // The restore makes the same calls; the last one reads the block list of partition 1.
    badStorage.beforeCall(() -> badStorage.failReads(calls.incrementAndGet() == 2 * ofScan));

    RecoveryResult recovered = recovery.restore(found, LAST, EPOCH);

    assertThat(badStorage.readFailures()).isEqualTo(1);
    assertThat(recovered.lostRuns()).isEqualTo(1);
    assertThat(recovered.wholeSinceEpoch()).isEqualTo(EPOCH);
    OpenSnapshot snapshot = store.find(shuffle).snapshot(new int[] {0}, false);
    assertThat(snapshot.partitions().get(0).lost()).hasSize(1);
    assertThat(snapshot.attemptsOf(snapshot.partitions().get(0).completeSet()).toArray())
        .containsExactly(1L);
  }

  @Test
  void aHungDirectoryIsSkippedAndDeletesNothingWhenItResumes() throws Exception {
    addRuns();
    CountDownLatch listed = new CountDownLatch(1);
    Disk hung =
        disk(
            new Wrapped(badStorage) {
              @Override
              public List<Entry> list() throws IOException {
                listing.countDown();
                try {
                  hanging.await();
                } catch (InterruptedException e) {
                  // A hung disk does not react to interrupts.
                  awaitUninterruptibly(hanging);
                }
                List<Entry> entries = super.list();
                listed.countDown();
                return entries;
              }
            },
            badCatalog);

    RecoveryResult recovered = recover(List.of(hung, disk(goodStorage, goodCatalog)), 500);

    assertThat(listing.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(recovered.runs()).isEqualTo(1);
    assertThat(recovered.wholeSinceEpoch()).isEqualTo(EPOCH);
    // The server runs by now, and has written a file that no catalog knows yet.
    try (Storage.NewFile file = badStorage.create(RunFiles.fileName(new RunId(9, 9)))) {
      file.channel().write(java.nio.ByteBuffer.wrap(new byte[10]));
      file.commit();
    }
    hanging.countDown();
    assertThat(listed.await(60, TimeUnit.SECONDS)).isTrue();
    for (Thread thread : scanThreads()) {
      thread.join(20_000);
    }
    assertThat(badStorage.list()).hasSize(2);
    assertThat(badCatalog.runs()).hasSize(1);
  }

  @Test
  void aFailedRecordOnOneDiskMakesTheStopUnclean() throws Exception {
    badCatalog.failWith(new IOException("injected"));
    CleanStopMarker mark =
        new CleanStopMarker(
            List.of(disk(badStorage, badCatalog), disk(goodStorage, goodCatalog)), false);
    assertThat(mark.write(EPOCH, LAST, 20_000)).isFalse();
    badCatalog.failWith(null);
    assertThat(mark.write(EPOCH, LAST, 20_000)).isTrue();
    assertThat(goodCatalog.lastCleanStop()).contains(new CleanStop(EPOCH, LAST, 2));
  }

  private static List<Thread> scanThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("recovery-disk"))
        .toList();
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    while (latch.getCount() > 0) {
      Thread.onSpinWait();
    }
  }

  private static class Wrapped implements Storage {
    private final Storage storage;

    Wrapped(Storage storage) {
      this.storage = storage;
    }

    @Override
    public String name() {
      return storage.name();
    }

    @Override
    public StorageKind kind() {
      return storage.kind();
    }

    @Override
    public long capacityBytes() throws IOException {
      return storage.capacityBytes();
    }

    @Override
    public long freeBytes() throws IOException {
      return storage.freeBytes();
    }

    @Override
    public NewFile create(String file) throws IOException {
      return storage.create(file);
    }

    @Override
    public FileChannel open(String file) throws IOException {
      return storage.open(file);
    }

    @Override
    public void delete(String file) throws IOException {
      storage.delete(file);
    }

    @Override
    public List<Entry> list() throws IOException {
      return storage.list();
    }

    @Override
    public void close() throws IOException {
      storage.close();
    }
  }
}
