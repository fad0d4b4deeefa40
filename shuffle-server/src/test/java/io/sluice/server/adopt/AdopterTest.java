package io.sluice.server.adopt;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.common.run.RunHeader;
import io.sluice.common.run.RunId;
import io.sluice.common.run.RunOrder;
import io.sluice.common.run.RunWriter;
import io.sluice.proto.Adoption;
import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleMove;
import io.sluice.server.catalog.RunRecord;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskLimits;
import io.sluice.server.disk.RunFiles;
import io.sluice.server.log.BlockBytes;
import io.sluice.server.log.LogRange;
import io.sluice.server.log.PieceBytes;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.log.StoreConfig;
import io.sluice.server.recovery.Recovery;
import io.sluice.server.recovery.RecoveryResult;
import io.sluice.server.remote.InMemoryRemoteFileSystem;
import io.sluice.server.remote.RemoteTier;
import io.sluice.server.remote.TestTiers;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class AdopterTest {
  private static final ServerId SELF =
      ServerId.newBuilder().setName("self:1").setHost("self").setRpcPort(1).setEpoch(7).build();
  private static final ShuffleKey SHUFFLE = new ShuffleKey("app-1", 3);
  private static final ShuffleKey OTHER = new ShuffleKey("app-2", 0);
  private static final int PARTITIONS = 3;

  @TempDir private Path directory;
  private final InMemoryRemoteFileSystem files = new InMemoryRemoteFileSystem();
  private long starts;
  private RemoteTier tier;
  private Disk disk;
  private RunFiles runs;
  private ShuffleStore store;
  private Adopter adopter;

  @BeforeEach
  void open() throws Exception {
    tier = TestTiers.open(files, directory, ++starts);
    disk = new Disk(tier.storage(), tier.catalog(), DiskLimits.DEFAULT, System::nanoTime);
    runs = new RunFiles(8);
    runs.start();
    store = new ShuffleStore(StoreConfig.DEFAULT);
  }

  private void start() {
    adopter = new Adopter(tier, disk, runs, store);
    adopter.start();
  }

  @AfterEach
  void close() throws IOException {
    adopter.close();
    store.close();
    runs.close();
    tier.storage().close();
    tier.catalog().close();
    assertThat(files.openInputs()).isZero();
  }

  private RecoveryResult restart() throws Exception {
    close();
    open();
    Recovery recovery = new Recovery(List.of(disk), runs, store, 30_000, System::nanoTime);
    RecoveryResult recovered = recovery.restore(recovery.find(), 5, 6);
    start();
    return recovered;
  }

  /** The block of an attempt in each partition. */
  private static byte[] block(long attempt, int partition) {
    byte[] payload = new byte[100 + partition];
    Arrays.fill(payload, (byte) attempt);
    return BlockBytes.block(attempt, (int) attempt, partition, 0, true, payload);
  }

  private void addRun(String server, ShuffleKey shuffle, long attempt) throws IOException {
    RunId id = new RunId(attempt, attempt);
    Path file = directory.resolve("written.run");
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      RunWriter writer =
          new RunWriter(
              channel,
              new RunHeader(
                  id, new RunOrder(1, attempt), shuffle.application(), shuffle.shuffle()));
      for (int partition = 0; partition < PARTITIONS; partition++) {
        ByteBuf block = Unpooled.wrappedBuffer(block(attempt, partition));
        writer.writePartition(partition, 0, List.of(block));
      }
      writer.finish();
    }
    files.put(path(server, shuffle, attempt), Files.readAllBytes(file));
    Files.delete(file);
  }

  private static String path(String server, ShuffleKey shuffle, long attempt) {
    return shuffle.application()
        + "/"
        + server
        + "/"
        + RunFiles.fileName(new RunId(attempt, attempt));
  }

  private void order(String directoryName, String server) {
    adopter.order(
        List.of(Adoption.newBuilder().setDirectory(directoryName).setServer(server).build()));
  }

  /** Runs are adopted side by side, so their order is not defined. */
  private void assertServes(ShuffleKey shuffle, long... attempts) throws Exception {
    for (int partition = 0; partition < PARTITIONS; partition++) {
      List<ByteBuf> expected = new ArrayList<>();
      int length = 0;
      for (long attempt : attempts) {
        expected.add(Unpooled.wrappedBuffer(block(attempt, partition)));
        length += block(attempt, partition).length;
      }
      assertThat(store.find(shuffle).partitionLength(partition)).isEqualTo(length);
      ByteBuf found =
          PieceBytes.read(store.find(shuffle).read(List.of(new LogRange(partition, 0, length))));
      while (found.isReadable()) {
        ByteBuf next =
            expected.stream()
                .filter(block -> startsWith(found, block))
                .findFirst()
                .orElseThrow(() -> new AssertionError("other bytes at " + found));
        expected.remove(next);
        found.skipBytes(next.readableBytes());
      }
      assertThat(expected).isEmpty();
    }
  }

  private static boolean startsWith(ByteBuf bytes, ByteBuf block) {
    int length = block.readableBytes();
    return bytes.readableBytes() >= length
        && bytes.slice(bytes.readerIndex(), length).equals(block);
  }

  private List<ShuffleMove> moves() {
    return adopter.moves(SELF, 100);
  }

  @Test
  void servesTheRunsOfALostServer() throws Exception {
    addRun("lost_1", SHUFFLE, 1);
    addRun("lost_1", SHUFFLE, 2);
    addRun("lost_1", OTHER, 3);
    addRun("live_1", SHUFFLE, 4);
    start();
    assertThat(moves()).isEmpty();

    order("lost_1", "lost:1");
    order("lost_1", "lost:1");

    await(() -> moves().size() == 2);
    assertServes(SHUFFLE, 1, 2);
    assertServes(OTHER, 3);
    assertThat(store.find(SHUFFLE).snapshot(new int[] {0}, false).partitions().get(0).length())
        .isEqualTo(2L * block(1, 0).length);
    assertThat(tier.catalog().runs())
        .extracting(RunRecord::shuffle)
        .containsExactlyInAnyOrder(SHUFFLE, SHUFFLE, OTHER);
    assertThat(moves())
        .allSatisfy(
            move -> {
              assertThat(move.getFrom()).isEqualTo("lost:1");
              assertThat(move.getTo()).isEqualTo(SELF);
              assertThat(move.getLost()).isTrue();
            })
        .extracting(move -> move.getShuffle().getApplication())
        .containsExactlyInAnyOrder("app-1", "app-2");
    assertThat(disk.storage().directories()).contains("lost_1");
  }

  @Test
  void servesARunOnceThatItServedBeforeItsDirectoryWasAdopted() throws Exception {
    addRun("lost_1", SHUFFLE, 1);
    start();
    order("lost_1", "lost:1");
    await(() -> moves().size() == 1 && adopter.pending() == 0);

    // Another server adopts the directory, and is lost, too.
    tier.storage().abandon("lost_1");
    order("lost_1", "another:1");

    await(() -> moves().size() == 2);
    assertServes(SHUFFLE, 1);
    assertThat(runs.count()).isEqualTo(1);
  }

  @Test
  void movesThatNoDriverHasAppliedComeFirst() throws Exception {
    addRun("lost_1", SHUFFLE, 1);
    addRun("lost_1", OTHER, 3);
    start();
    order("lost_1", "lost:1");
    await(() -> moves().size() == 2);

    ShuffleMove first = moves().get(0);
    adopter.applied(List.of(first));

    assertThat(moves().get(1)).isEqualTo(first);
    assertThat(adopter.moves(SELF, 1)).doesNotContain(first);
  }

  @Test
  void deletesAdoptedRunsWithTheirShuffle() throws Exception {
    addRun("lost_1", SHUFFLE, 1);
    addRun("lost_1", OTHER, 3);
    start();
    order("lost_1", "lost:1");
    await(() -> moves().size() == 2);

    store.removeApplication("app-1");

    await(() -> !files.paths().contains(path("lost_1", SHUFFLE, 1)));
    assertThat(moves()).hasSize(1);
    assertServes(OTHER, 3);
    assertThat(tier.catalog().runs()).hasSize(1);
  }

  @Test
  void leavesRunsOfLostServersToTheNextAdopter() throws Exception {
    addRun("lost_1", SHUFFLE, 1);
    start();
    order("lost_1", "lost:1");
    await(() -> moves().size() == 1 && adopter.pending() == 0);

    adopter.leave();
    store.deleteRunsAtClose();
    store.close();

    await(() -> runs.count() == 0);
    assertThat(tier.catalog().runs()).isEmpty();
    assertThat(tier.adopted()).isEmpty();
    assertThat(disk.storage().directories()).doesNotContain("lost_1");
    assertThat(disk.storage().emptyDirectories()).doesNotContain("lost_1");
    assertThat(files.paths()).contains(path("lost_1", SHUFFLE, 1));
  }

  @Test
  void servesThemAfterARestart() throws Exception {
    addRun("lost_1", SHUFFLE, 1);
    start();
    order("lost_1", "lost:1");
    await(() -> moves().size() == 1);
    List<ShuffleMove> before = moves();

    RecoveryResult recovered = restart();

    assertThat(recovered.lostRuns()).isZero();
    assertServes(SHUFFLE, 1);
    assertThat(moves()).isEqualTo(before);

    store.removeApplication("app-1");
    await(() -> files.paths().equals(List.of("=adopted/lost_1")));
    restart();
    assertThat(files.paths()).as("mark of an empty directory").isEmpty();
    assertThat(disk.storage().directories()).hasSize(1);
  }

  @Test
  void skipsRunsThatCannotBeRead() throws Exception {
    addRun("lost_1", SHUFFLE, 1);
    addRun("lost_1", SHUFFLE, 2);
    byte[] unfinished = {'S', 'L', 'R', 'N', 1, 0};
    files.put(path("lost_1", SHUFFLE, 3), unfinished);
    files.put("app-1/lost_1/notes.txt", unfinished);
    start();

    order("lost_1", "lost:1");

    await(() -> moves().size() == 1);
    assertServes(SHUFFLE, 1, 2);
    assertThat(files.paths()).contains(path("lost_1", SHUFFLE, 3), "app-1/lost_1/notes.txt");
  }

  @Test
  void deletesRunsOfRemovedShuffles() throws Exception {
    addRun("lost_1", SHUFFLE, 1);
    addRun("lost_1", OTHER, 3);
    store.removeShuffles("app-1", List.of(3));
    start();

    order("lost_1", "lost:1");

    await(() -> moves().size() == 1);
    assertThat(store.find(SHUFFLE)).isNull();
    assertThat(files.paths()).containsExactly("=adopted/lost_1", path("lost_1", OTHER, 3));
  }

  @Test
  void triesAgainIfTheFileSystemFails() throws Exception {
    addRun("lost_1", SHUFFLE, 1);
    start();
    files.failAlways(true);
    order("lost_1", "lost:1");
    await(() -> adopter.pending() == 0);
    assertThat(disk.storage().directories()).hasSize(1);
    files.failAlways(false);

    order("lost_1", "lost:1");

    await(() -> moves().size() == 1);
    assertServes(SHUFFLE, 1);
  }

  @Test
  void servesItsOwnRunsAfterTheLossOfTheirCatalog() throws Exception {
    start();
    addRun(disk.storage().directories().get(0), SHUFFLE, 1);
    close();
    Path lost = directory.resolve("remote/catalog");
    try (Stream<Path> catalog = Files.list(lost)) {
      for (Path file : (Iterable<Path>) catalog::iterator) {
        Files.delete(file);
      }
    }
    Files.delete(lost);
    open();

    start();

    assertServes(SHUFFLE, 1);
    assertThat(moves()).isEmpty();
    RecoveryResult recovered = restart();
    assertThat(recovered.lostRuns()).isZero();
    assertServes(SHUFFLE, 1);
  }

  @Test
  void ignoresOrdersForItsOwnAndForInvalidDirectories() throws Exception {
    start();
    order(disk.storage().directories().get(0), "self:1");
    order("../other", "lost:1");
    order("", "lost:1");
    assertThat(adopter.pending()).isZero();
    assertThat(files.paths()).isEmpty();
  }

  private static void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("condition met in time").isLessThan(deadline);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }
}
