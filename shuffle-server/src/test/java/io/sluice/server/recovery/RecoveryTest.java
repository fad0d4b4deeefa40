package io.sluice.server.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.common.run.RunId;
import io.sluice.common.run.RunOrder;
import io.sluice.common.run.RunReader;
import io.sluice.server.catalog.CleanStop;
import io.sluice.server.catalog.RunRecord;
import io.sluice.server.catalog.Tombstone;
import io.sluice.server.cluster.LogLines;
import io.sluice.server.disk.RunFile;
import io.sluice.server.disk.RunFiles;
import io.sluice.server.disk.StorageKind;
import io.sluice.server.log.LocatedExtent;
import io.sluice.server.log.LogPiece;
import io.sluice.server.log.LogRange;
import io.sluice.server.log.LoggedRun;
import io.sluice.server.log.OpenSnapshot;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.ShuffleLog;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.log.StoreConfig;
import io.sluice.server.recovery.RunDirectory.Block;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Recovery after a stop, or a crash after any step, by the table of {@link DirectoryScan}. Each
 * test prepares a state with real files and catalogs, and restarts from it.
 */
@Timeout(60)
class RecoveryTest {
  private static final ShuffleKey SHUFFLE = new ShuffleKey("app-1", 3);
  private static final long LAST = 100;
  private static final long EPOCH = 200;

  @TempDir Path base;

  private final RunFiles files = new RunFiles(8);
  private ShuffleStore store = new ShuffleStore(StoreConfig.DEFAULT);
  private RunDirectory ssd;
  private RunDirectory hdd;

  @BeforeEach
  void open() throws IOException {
    ssd = new RunDirectory(base.resolve("ssd"), StorageKind.SSD);
    hdd = new RunDirectory(base.resolve("hdd"), StorageKind.HDD);
  }

  @AfterEach
  void close() throws IOException {
    store.close();
    files.close();
    ssd.close();
    hdd.close();
  }

  /** The process ends here, and another one starts. */
  private RecoveryResult restart() throws Exception {
    store.close();
    files.deletePending();
    ssd.close();
    hdd.close();
    open();
    store = new ShuffleStore(StoreConfig.DEFAULT);
    Recovery recovery =
        new Recovery(List.of(ssd.disk(), hdd.disk()), files, store, 30_000, System::nanoTime);
    ScanResult findings = recovery.find();
    RecoveryResult recovered = recovery.restore(findings, LAST, EPOCH);
    files.deletePending();
    return recovered;
  }

  private static RunId id(int number) {
    return new RunId(number, number);
  }

  private static RunOrder order(long arrival) {
    return new RunOrder(LAST, arrival);
  }

  private static Block block(int partition, long attempt, int sequence, boolean last) {
    return new Block(partition, attempt, sequence, last, 10 + sequence);
  }

  @Test
  void aPartlyWrittenRunIsDeleted() throws Exception {
    ssd.writeHalf(id(1), SHUFFLE, order(0), block(0, 1, 0, true));

    RecoveryResult recovered = restart();

    assertThat(recovered).isEqualTo(new RecoveryResult(EPOCH, EPOCH, 0, 0, 0, 0));
    assertThat(ssd.files()).isEmpty();
    assertThat(store.logs()).isEmpty();
  }

  @Test
  void anUnregisteredRunIsDeleted() throws Exception {
    ssd.write(id(1), SHUFFLE, order(0), List.of(), block(0, 1, 0, true));
    Files.write(ssd.file(id(1)).resolveSibling("notes.txt"), new byte[3]);
    Files.write(ssd.file(id(1)).resolveSibling("0123.run"), new byte[3]);

    try (LogLines log = new LogLines(DirectoryScan.class)) {
      restart();
      assertThat(log.lines())
          .anyMatch(line -> line.contains("does not list") && line.contains("files=1"));
    }

    assertThat(ssd.files())
        .extracting(file -> file.getFileName().toString())
        .containsExactlyInAnyOrder("notes.txt", "0123.run");
    assertThat(store.logs()).isEmpty();
  }

  @Test
  void aRegisteredRunIsServedWithItsAttempts() throws Exception {
    RunRecord run =
        ssd.add(
            id(1),
            SHUFFLE,
            order(5),
            block(0, 1, 0, false),
            block(0, 1, 1, true),
            block(0, 2, 0, false),
            block(7, 2, 0, true));

    RecoveryResult recovered = restart();

    assertThat(recovered).isEqualTo(new RecoveryResult(EPOCH, EPOCH, 1, 1, run.length(), 0));
    assertThat(complete(0)).containsExactly(1L);
    assertThat(complete(7)).containsExactly(2L);
    assertThat(read(0))
        .isEqualTo(concat(block(0, 1, 0, false), block(0, 1, 1, true), block(0, 2, 0, false)));
    assertThat(read(7)).isEqualTo(concat(block(7, 2, 0, true)));
    assertThat(store.find(SHUFFLE).runs().get(0).order()).isEqualTo(order(5));
  }

  @Test
  void aMergedRunReplacesItsRemainingInputs() throws Exception {
    Block first = block(0, 1, 0, false);
    Block second = block(0, 1, 1, true);
    ssd.add(id(1), SHUFFLE, order(0), first);
    hdd.add(id(2), SHUFFLE, order(1), second);
    RunRecord merged = hdd.write(id(3), SHUFFLE, order(0), List.of(id(1), id(2)), first, second);
    hdd.catalog().add(merged);
    // A merge of the merged run, whose input reappeared.
    RunRecord again = ssd.write(id(4), SHUFFLE, order(0), List.of(id(3)), first, second);
    ssd.catalog().add(again);

    RecoveryResult recovered = restart();

    assertThat(recovered.runs()).isEqualTo(1);
    assertThat(recovered.lostRuns()).isZero();
    assertThat(read(0)).isEqualTo(concat(first, second));
    assertThat(complete(0)).containsExactly(1L);
    assertThat(ssd.files()).containsExactly(ssd.file(id(4)));
    assertThat(hdd.files()).isEmpty();
    assertThat(hdd.catalog().runs()).isEmpty();
  }

  /** The machine crashed while the inputs were deleted, and had not written all of their bytes. */
  @Test
  void lostInputsOfAMergedRunAreDeleted() throws Exception {
    Block first = block(0, 1, 0, false);
    Block second = block(0, 1, 1, true);
    ssd.add(id(1), SHUFFLE, order(0), first);
    ssd.add(id(2), SHUFFLE, order(1), second);
    RunRecord merged = hdd.write(id(3), SHUFFLE, order(0), List.of(id(1), id(2)), first, second);
    hdd.catalog().add(merged);
    cutOff(ssd.file(id(1)));
    Files.delete(ssd.file(id(2)));

    RecoveryResult recovered = restart();

    assertThat(recovered.lostRuns()).as("the merged run has every block").isZero();
    assertThat(read(0)).isEqualTo(concat(first, second));
    assertThat(ssd.files()).isEmpty();
    assertThat(ssd.catalog().runs()).isEmpty();
    assertThat(files.count()).as("runs that wait for their deletion, and the merged one").isOne();
  }

  @Test
  void anUnregisteredMergedRunIsDroppedAndItsInputsAreKept() throws Exception {
    Block first = block(0, 1, 0, false);
    Block second = block(0, 1, 1, true);
    ssd.add(id(1), SHUFFLE, order(0), first);
    ssd.add(id(2), SHUFFLE, order(1), second);
    ssd.write(id(3), SHUFFLE, order(0), List.of(id(1), id(2)), first, second);

    assertThat(restart().runs()).isEqualTo(2);
    assertThat(read(0)).isEqualTo(concat(first, second));
    assertThat(ssd.files()).hasSize(2);
  }

  @Test
  void oneCopyOfARunInAMoveIsKept() throws Exception {
    Block only = block(0, 1, 0, true);
    ssd.add(id(1), SHUFFLE, order(0), only);
    hdd.add(id(1), SHUFFLE, order(0), only);

    assertThat(restart().runs()).isEqualTo(1);
    assertThat(read(0)).isEqualTo(concat(only));
    assertThat(ssd.files()).isEmpty();
    assertThat(ssd.catalog().runs()).isEmpty();
    assertThat(hdd.files()).hasSize(1);
  }

  @Test
  void theCompleteCopyOfARunInAMoveIsKept() throws Exception {
    Block only = block(0, 1, 0, true);
    ssd.add(id(1), SHUFFLE, order(0), only);
    hdd.add(id(1), SHUFFLE, order(0), only);
    cutOff(hdd.file(id(1)));

    RecoveryResult recovered = restart();

    assertThat(recovered.runs()).isEqualTo(1);
    assertThat(recovered.lostRuns()).as("the other copy has every block").isZero();
    assertThat(read(0)).isEqualTo(concat(only));
    assertThat(hdd.files()).as("of the damaged copy").isEmpty();
  }

  @Test
  void aRecordWithoutAFileIsDroppedAndItsAttemptsAreIncomplete() throws Exception {
    ssd.add(id(1), SHUFFLE, order(0), block(0, 1, 0, false), block(0, 2, 0, true));
    ssd.add(id(2), SHUFFLE, order(1), block(0, 1, 1, true));
    recordCleanStop(LAST, LAST);
    Files.delete(ssd.file(id(2)));

    RecoveryResult recovered = restart();

    assertThat(recovered.lostRuns()).isEqualTo(1);
    assertThat(recovered.wholeSinceEpoch()).as("after a clean stop").isEqualTo(EPOCH);
    assertThat(complete(0)).containsExactly(2L);
    assertThat(ssd.catalog().runs()).extracting(RunRecord::id).containsExactly(id(1));
  }

  @Test
  void blocksThatWereFoundDamagedAreLostAfterARestart() throws Exception {
    Block first = block(0, 1, 0, true);
    Block second = block(0, 2, 0, true);
    Block third = block(0, 3, 0, true);
    RunRecord run = ssd.add(id(1), SHUFFLE, order(0), first, second, third, block(7, 2, 0, true));
    ssd.add(id(2), SHUFFLE, order(1), block(0, 4, 0, true));
    int blockLength = second.bytes().length;
    long offset = offsetOfPartition(ssd.file(id(1)), 0) + blockLength;
    ssd.catalog().recordDamage(id(1), new TreeMap<>(Map.of(offset, blockLength)));
    ssd.catalog().recordDamage(id(99), new TreeMap<>(Map.of(0L, 1)));

    for (int start = 0; start < 2; start++) {
      RecoveryResult recovered = restart();

      assertThat(recovered.lostRuns()).isZero();
      assertThat(complete(0)).containsExactly(1L, 3L, 4L);
      assertThat(complete(7)).containsExactly(2L);
      ShuffleLog log = store.find(SHUFFLE);
      assertThat(log.snapshot(new int[] {0}, false).partitions().get(0).lost())
          .containsExactly(new OpenSnapshot.Stretch(blockLength, blockLength));
      assertThat(log.located(0))
          .extracting(LocatedExtent::fileOffset)
          .startsWith(offset - blockLength, offset + blockLength);
      assertThat(log.takeForMerge(log.runs().stream().map(LoggedRun::run).toList()))
          .as("a merge of the damaged run")
          .isNull();
      assertThat(((RunFile) log.runs().get(0).run()).damage())
          .isEqualTo(Map.of(offset, blockLength));
      assertThat(ssd.catalog().damage().keySet())
          .as("damage of unknown runs is removed")
          .containsExactly(id(1));
    }
    assertThat(ssd.catalog().runs()).contains(run);
  }

  private static long offsetOfPartition(Path file, int partition) throws IOException {
    try (RunReader reader = RunReader.open(file)) {
      return reader.extents().stream()
          .filter(extent -> extent.partition() == partition)
          .findFirst()
          .orElseThrow()
          .fileOffset();
    }
  }

  @Test
  void everyFlippedByteOfHeaderAndFooterIsReportedAndItsRunLost() throws Exception {
    RunRecord run =
        ssd.add(
            id(1),
            SHUFFLE,
            order(0),
            block(0, 1, 0, false),
            block(0, 1, 1, true),
            block(4, 2, 0, true));
    byte[] whole = Files.readAllBytes(ssd.file(id(1)));
    int headerEnd = 48 + SHUFFLE.application().length() + 4;
    int blocksEnd =
        headerEnd
            + concat(block(0, 1, 0, false)).length
            + concat(block(0, 1, 1, true)).length
            + concat(block(4, 2, 0, true)).length;
    Random random = new Random(7);
    for (int at = 0; at < whole.length; at++) {
      if (at >= headerEnd && at < blocksEnd) {
        continue;
      }
      byte[] damaged = whole.clone();
      damaged[at] ^= (byte) (1 + random.nextInt(255));
      Files.write(ssd.file(id(1)), damaged);
      ssd.catalog().add(run);
      try (LogLines log = new LogLines(DirectoryScan.class)) {
        DirectoryContents contents = new DirectoryScan(ssd.disk()).scan();
        assertThat(contents.runs()).as("byte %d", at).isEmpty();
        assertThat(contents.lost()).as("byte %d", at).containsExactly(run);
        assertThat(log.lines())
            .as("byte %d", at)
            .anyMatch(
                line ->
                    line.contains(ssd.file(id(1)).getFileName().toString())
                        && line.matches(".*offset=\\d+.*"));
      }
      assertThat(ssd.catalog().runs()).isEmpty();
      assertThat(ssd.file(id(1))).as("stays until the next start").exists();
    }
  }

  @Test
  void aFileThatIsNotTheRecordedRunIsLost() throws Exception {
    RunRecord other = ssd.write(id(2), SHUFFLE, order(1), List.of(), block(0, 1, 0, true));
    Files.move(ssd.file(id(2)), ssd.file(id(1)));
    ssd.catalog().add(new RunRecord(id(1), SHUFFLE, order(1), other.length(), List.of()));

    assertThat(restart().lostRuns()).isEqualTo(1);
    assertThat(store.find(SHUFFLE)).isNull();
  }

  @Test
  void runsOfDeletedShufflesAreDeletedInEveryDirectory() throws Exception {
    ShuffleKey kept = new ShuffleKey("app-1", 4);
    ssd.add(id(1), SHUFFLE, order(0), block(0, 1, 0, true));
    hdd.add(id(2), SHUFFLE, order(1), block(0, 2, 0, true));
    hdd.add(id(3), kept, order(0), block(0, 2, 0, true));
    ssd.catalog().addTombstones(List.of(new Tombstone(SHUFFLE, 1234)));

    assertThat(restart().shuffles()).isEqualTo(1);
    assertThat(store.isExpired(SHUFFLE)).isTrue();
    assertThat(store.isExpired(kept)).isFalse();
    assertThat(ssd.files()).isEmpty();
    assertThat(hdd.files()).containsExactly(hdd.file(id(3)));
  }

  @Test
  void damagedRunsOfDeletedShufflesAreDeletedAndNotLost() throws Exception {
    ssd.add(id(1), SHUFFLE, order(0), block(0, 1, 0, true));
    cutOff(ssd.file(id(1)));
    ssd.catalog().addTombstones(List.of(new Tombstone(SHUFFLE, 1234)));
    recordCleanStop(LAST, LAST);

    RecoveryResult recovered = restart();

    assertThat(recovered.lostRuns()).isZero();
    assertThat(recovered.wholeSinceEpoch()).as("after a clean stop").isEqualTo(LAST);
    assertThat(ssd.files()).isEmpty();
    assertThat(ssd.catalog().runs()).isEmpty();
  }

  @Test
  void tombstonesAreWrittenToEveryDirectory() throws Exception {
    java.time.Clock clock =
        java.time.Clock.fixed(java.time.Instant.ofEpochMilli(77), java.time.ZoneOffset.UTC);
    ssd.add(id(1), SHUFFLE, order(0), block(0, 1, 0, true));
    restart();
    store.onForgotten(new TombstoneWriter(List.of(ssd.disk(), hdd.disk()), files, clock, 10)::add);
    store.removeShuffles("app-1", List.of(3, 8));
    files.deletePending();

    assertThat(ssd.catalog().tombstones())
        .containsExactlyInAnyOrder(
            new Tombstone(SHUFFLE, 77), new Tombstone(new ShuffleKey("app-1", 8), 77));
    assertThat(hdd.catalog().tombstones()).hasSize(2);
    assertThat(ssd.catalog().runs()).isEmpty();
    assertThat(ssd.files()).isEmpty();
    restart();
    assertThat(store.isExpired(SHUFFLE)).isTrue();
  }

  @Test
  void dataIsCompleteAfterACleanStop() throws Exception {
    ssd.add(id(1), SHUFFLE, order(0), block(0, 1, 0, true));
    assertThat(
            new CleanStopMarker(List.of(ssd.disk(), hdd.disk()), true)
                .write(LAST, LAST - 50, 10_000))
        .isTrue();

    assertThat(restart().wholeSinceEpoch()).isEqualTo(LAST - 50);
  }

  @Test
  void dataIsIncompleteUnlessEveryDirectoryRecordsTheLastStop() throws Exception {
    assertThat(restart().wholeSinceEpoch()).as("no record").isEqualTo(EPOCH);
    recordCleanStop(LAST - 10, LAST - 10);
    assertThat(restart().wholeSinceEpoch()).as("a record of an earlier epoch").isEqualTo(EPOCH);
    ssd.catalog().recordCleanStop(new CleanStop(LAST, LAST, 2));
    assertThat(restart().wholeSinceEpoch())
        .as("a record in one of two directories")
        .isEqualTo(EPOCH);
    hdd.catalog().recordCleanStop(new CleanStop(LAST, LAST, 2));
    assertThat(restart().wholeSinceEpoch()).isEqualTo(LAST);
    ssd.catalog().recordCleanStop(new CleanStop(LAST, LAST, 3));
    hdd.catalog().recordCleanStop(new CleanStop(LAST, LAST, 3));
    assertThat(restart().wholeSinceEpoch()).as("a directory is missing").isEqualTo(EPOCH);
  }

  @Test
  void findsTheNewestEpoch() throws Exception {
    ssd.add(id(1), SHUFFLE, new RunOrder(5_000, 0), block(0, 1, 0, true));
    Recovery recovery =
        new Recovery(List.of(ssd.disk(), hdd.disk()), files, store, 30_000, System::nanoTime);
    assertThat(recovery.find().newestEpoch()).isEqualTo(5_000);
  }

  /**
   * Blocks of random attempts are written to runs on both disks; some runs are lost. The remaining
   * blocks are served in the order of the runs, and exactly the attempts with all blocks are
   * complete.
   */
  @Test
  void randomRunsAreServedInOrderAndOnlyFullAttemptsAreComplete() throws Exception {
    for (long seed = 0; seed < 12; seed++) {
      Random random = new Random(seed);
      ShuffleKey shuffle = new ShuffleKey("app-r", (int) seed);
      List<List<Block>> runs = randomRuns(random);
      Map<Integer, List<Block>> expected = new TreeMap<>();
      List<Integer> writeOrder = new ArrayList<>();
      for (int i = 0; i < runs.size(); i++) {
        writeOrder.add(i);
      }
      Collections.shuffle(writeOrder, random);
      Set<Integer> lost = new HashSet<>();
      for (int run : writeOrder) {
        RunDirectory directory = random.nextBoolean() ? ssd : hdd;
        RunId id = new RunId(seed, run);
        directory.add(
            id,
            shuffle,
            new RunOrder(LAST + run / 3, run % 3),
            runs.get(run).toArray(new Block[0]));
        if (random.nextInt(4) == 0) {
          lost.add(run);
          if (random.nextBoolean()) {
            Files.delete(directory.file(id));
          } else {
            cutOff(directory.file(id));
          }
        }
      }
      for (int run = 0; run < runs.size(); run++) {
        if (!lost.contains(run)) {
          runs.get(run)
              .forEach(
                  block ->
                      expected
                          .computeIfAbsent(block.partition(), unused -> new ArrayList<>())
                          .add(block));
        }
      }
      restart();
      for (Map.Entry<Integer, List<Block>> partition : expected.entrySet()) {
        assertThat(read(shuffle, partition.getKey()))
            .as("seed %d partition %d", seed, partition.getKey())
            .isEqualTo(concat(partition.getValue().toArray(new Block[0])));
        assertThat(complete(shuffle, partition.getKey()))
            .as("seed %d partition %d", seed, partition.getKey())
            .isEqualTo(whole(partition.getValue()));
      }
      if (!expected.isEmpty()) {
        assertThat(store.find(shuffle).partitionCount()).isEqualTo(expected.size());
      }
    }
  }

  private static List<List<Block>> randomRuns(Random random) {
    List<Block> all = new ArrayList<>();
    for (long attempt = 0; attempt < 8; attempt++) {
      for (int partition = 0; partition < 4; partition++) {
        int count = random.nextInt(5);
        for (int sequence = 0; sequence < count; sequence++) {
          all.add(block(partition, attempt, sequence, sequence == count - 1));
        }
      }
    }
    Collections.shuffle(all, random);
    List<List<Block>> runs = new ArrayList<>();
    for (int at = 0; at < all.size(); ) {
      int end = Math.min(all.size(), at + 1 + random.nextInt(12));
      runs.add(all.subList(at, end));
      at = end;
    }
    return runs;
  }

  private static Set<Long> whole(List<Block> blocks) {
    Map<Long, Set<Integer>> seen = new HashMap<>();
    Map<Long, Integer> last = new HashMap<>();
    for (Block block : blocks) {
      seen.computeIfAbsent(block.attempt(), unused -> new HashSet<>()).add(block.sequence());
      if (block.last()) {
        last.put(block.attempt(), block.sequence());
      }
    }
    Set<Long> whole = new HashSet<>();
    last.forEach(
        (attempt, sequence) -> {
          if (seen.get(attempt).size() == sequence + 1) {
            whole.add(attempt);
          }
        });
    return whole;
  }

  private void recordCleanStop(long epoch, long wholeSince) throws IOException {
    ssd.catalog().recordCleanStop(new CleanStop(epoch, wholeSince, 2));
    hdd.catalog().recordCleanStop(new CleanStop(epoch, wholeSince, 2));
  }

  private static void cutOff(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    Files.write(file, java.util.Arrays.copyOf(bytes, bytes.length - 1));
  }

  private Set<Long> complete(int partition) {
    return complete(SHUFFLE, partition);
  }

  private Set<Long> complete(ShuffleKey shuffle, int partition) {
    OpenSnapshot snapshot = store.find(shuffle).snapshot(new int[] {partition}, false);
    Set<Long> complete = new HashSet<>();
    snapshot
        .attemptsOf(snapshot.partitions().get(0).completeSet())
        .forEach(attempt -> complete.add(attempt));
    return complete;
  }

  private byte[] read(int partition) throws Exception {
    return read(SHUFFLE, partition);
  }

  private byte[] read(ShuffleKey shuffle, int partition) throws Exception {
    ShuffleLog log = store.find(shuffle);
    long length = log.snapshot(new int[] {partition}, false).partitions().get(0).length();
    ByteBuffer bytes = ByteBuffer.allocate((int) length);
    for (LogPiece piece : log.read(List.of(new LogRange(partition, 0, length)))) {
      LogPiece.InFile file = (LogPiece.InFile) piece;
      ByteBuffer part = bytes.slice(bytes.position(), file.length());
      while (part.hasRemaining()) {
        file.run().channel().read(part, file.position() + part.position());
      }
      bytes.position(bytes.position() + file.length());
      piece.release();
    }
    return bytes.array();
  }

  private static byte[] concat(Block... blocks) {
    ByteBuf all = Unpooled.buffer();
    for (Block block : blocks) {
      all.writeBytes(block.bytes());
    }
    byte[] bytes = new byte[all.readableBytes()];
    all.readBytes(bytes);
    return bytes;
  }
}
