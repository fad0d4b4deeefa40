package io.sluice.server.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.sluice.common.error.StatusCode;
import io.sluice.common.run.DamagedBlock;
import io.sluice.common.run.RunId;
import io.sluice.common.run.RunOrder;
import io.sluice.proto.Push;
import io.sluice.server.background.MergeOutcome;
import io.sluice.server.background.MergeSteps;
import io.sluice.server.background.MoveSteps;
import io.sluice.server.background.ScrubSteps;
import io.sluice.server.disk.DamageReports;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.HealthState;
import io.sluice.server.disk.RunFile;
import io.sluice.server.disk.StorageKind;
import io.sluice.server.disk.WatchSteps;
import io.sluice.server.log.LoggedRun;
import io.sluice.server.log.MergeBatch;
import io.sluice.server.log.ShuffleLog;
import io.sluice.server.log.SpillBatch;
import io.sluice.server.log.StoredRun;
import io.sluice.server.memory.MemoryBudget;
import io.sluice.server.memory.MemoryConfig;
import io.sluice.transport.server.FetchedBytes;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * A random schedule that is determined by its seed. Wherever the server would wait for a disk,
 * another step may run or the process may end. So one thread simulates the interleaving of
 * concurrent threads.
 */
final class Schedule {
  private static final int MAX_SHUFFLES = 3;
  private static final int MAX_DEPTH = 2;
  private static final StorageKind[] KINDS = {StorageKind.SSD, StorageKind.SSD, StorageKind.HDD};

  /** A batch that is not written yet. */
  private record Spill(SpillBatch batch, List<ModelEntry> entries) {}

  private final Random random;
  private final Random ids;
  private final ScheduledExecutorService timer;
  private final ModelClock clock = new ModelClock();
  private final MemoryBudget memory;
  private final int shuffles;
  private final boolean faulty;
  private final Model model = new Model();
  private final RandomBlocks blocks;
  private final ByteBuffer chunk = ByteBuffer.allocate(300);

  private ServerModel server;
  private ModelChecks checks;
  private final Deque<Spill> spills = new ArrayDeque<>();
  private final Deque<ModelChecks.UnreadReply> unreadReplies = new ArrayDeque<>();

  // State of the directories at the end of the process; null while it runs.
  private List<ModelDirectory> directoriesAtEnd;
  private int depth;
  private boolean interruptible;
  private boolean housekeeping;
  private boolean moving;
  private boolean checking;
  private int losses;
  private int readFailuresAtLoss;

  Schedule(long seed, ScheduledExecutorService timer) throws Exception {
    random = new Random(seed * 0x9E3779B97F4A7C15L);
    ids = new Random(seed);
    this.timer = timer;
    int slab = 1024 << random.nextInt(2);
    memory =
        new MemoryBudget(new MemoryConfig(slab * (48L + random.nextInt(48)), slab, 75, 25), clock);
    blocks = new RandomBlocks(random, random.nextInt(4) == 0 ? 6 * slab : 200);
    shuffles = 1 + random.nextInt(MAX_SHUFFLES);
    faulty = random.nextInt(4) > 0;
    List<ModelDirectory> directories = new ArrayList<>();
    for (int i = 0; i < KINDS.length; i++) {
      directories.add(ModelDirectory.create("disk-" + i, KINDS[i]));
    }
    start(directories, 0);
    interruptible = true;
  }

  void run(int steps) throws Exception {
    for (int i = 0; i < steps; i++) {
      step();
      afterStep();
    }
    finish();
  }

  private void step() throws Exception {
    clock.advance(random.nextInt(2000));
    if (random.nextInt(4) == 0) {
      server.directories.forEach(each -> each.storage().failReads(false));
    }
    int choice = random.nextInt(100);
    if (choice < 28) {
      push();
    } else if (choice < 39) {
      beginSpill();
    } else if (choice < 52) {
      endSpill();
    } else if (choice < 63) {
      fetch();
    } else if (choice < 68) {
      checks.checkOpen(random.nextInt(shuffles));
    } else if (choice < 71) {
      readReply();
    } else if (choice < 83) {
      merge();
    } else if (choice < 89) {
      move();
    } else if (choice < 93) {
      housekeep();
    } else if (choice < 94) {
      remove();
    } else if (choice < 98) {
      if (faulty) {
        arrangeFault();
      }
    } else if (depth == 0 && random.nextInt(3) == 0) {
      if (random.nextBoolean()) {
        crash();
      } else {
        stop();
      }
    }
  }

  /** Called wherever the server waits for a disk. */
  private void onDisk() {
    if (!interruptible || directoriesAtEnd != null) {
      return;
    }
    int choice = random.nextInt(200);
    if (choice == 0) {
      crash();
    } else if (choice < 20 && depth < MAX_DEPTH) {
      depth++;
      try {
        step();
      } catch (RuntimeException e) {
        throw e;
      } catch (Exception e) {
        throw new AssertionError("step within another", e);
      } finally {
        depth--;
      }
    }
  }

  private void afterStep() throws Exception {
    if (directoriesAtEnd != null) {
      restart();
    } else {
      watchDisks();
    }
  }

  private void start(List<ModelDirectory> directories, long previousEpoch) throws Exception {
    interruptible = false;
    server =
        new ServerModel(
            directories, previousEpoch, memory, clock, ids, random, timer, this::declaredLost);
    losses = 0;
    checks = new ModelChecks(server, model, random, shuffles, () -> losses);
    for (int i = 0; i < directories.size(); i++) {
      int directory = i;
      directories.get(i).storage().beforeCall(this::onDisk);
      directories
          .get(i)
          .catalog()
          .listen(this::onDisk, record -> model.registered(record, directory));
    }
  }

  /** Ends the process: operations that still run have no effect. */
  private void crash() {
    directoriesAtEnd = server.directories.stream().map(ModelDirectory::afterCrash).toList();
    server.directories.forEach(ModelDirectory::cutOff);
  }

  private void stop() throws Exception {
    interruptible = false;
    while (!spills.isEmpty()) {
      endSpill();
    }
    for (ShuffleLog log : server.store.logs()) {
      for (SpillBatch batch = log.takeForSpill(1 << 12);
          batch != null;
          batch = log.takeForSpill(1 << 12)) {
        spills.add(new Spill(batch, model.entriesOf(batch)));
        endSpill();
        if (server.store.totals().bufferedBytes() > 0 && random.nextInt(8) == 0) {
          break;
        }
      }
    }
    housekeep();
    server.writeStopMark();
    crash();
  }

  private void restart() throws Exception {
    endServer();
    long previous = server.epoch();
    List<ModelDirectory> found = directoriesAtEnd;
    directoriesAtEnd = null;
    model.restart(found);
    start(found, previous);
    model.restarted(servedRuns());
    assertThat(server.recovered.wholeSinceEpoch())
        .as("epoch since which all acknowledged data is present")
        .isGreaterThan(model.newestLostEpoch());
    checks.checkAll();
    interruptible = true;
  }

  /** Served runs with their directories, in order within each shuffle. */
  private Map<RunId, Integer> servedRuns() {
    Map<RunId, Integer> served = new LinkedHashMap<>();
    for (ShuffleLog log : server.store.logs()) {
      RunOrder last = new RunOrder(0, 0);
      for (LoggedRun run : log.runs()) {
        RunFile file = (RunFile) run.run();
        served.put(file.id(), server.disks.indexOf(file.disk()));
        assertThat(run.order()).isGreaterThanOrEqualTo(last);
        last = run.order();
      }
    }
    return served;
  }

  private void endServer() {
    spills.forEach(spill -> spill.batch().log().abortSpill(spill.batch()));
    spills.clear();
    unreadReplies.forEach(each -> each.bytes().close());
    unreadReplies.clear();
    server.end();
    assertThat(memory.usedBytes()).as("used memory after the end").isZero();
    assertThat(server.store.totals().bufferedBytes()).isZero();
    assertThat(server.store.totals().spillingBytes()).isZero();
    assertThat(server.store.totals().bufferedExtents()).isZero();
    assertThat(server.store.totals().storedBytes()).isZero();
    assertThat(server.store.totals().partitions()).isZero();
    assertThat(server.store.totals().metadataBytes()).isZero();
  }

  private void finish() throws Exception {
    interruptible = false;
    server.directories.forEach(ModelDirectory::endFaults);
    checks.checkAll();
    if (random.nextBoolean()) {
      stop();
    } else {
      crash();
    }
    restart();
    interruptible = false;
    housekeep();
    checks.checkDirectories();
    for (int shuffle = 0; shuffle < shuffles; shuffle++) {
      server.store.removeShuffles(Model.APPLICATION, List.of(shuffle));
    }
    housekeep();
    checks.checkDirectories();
    assertThat(server.files.count()).isZero();
    for (ModelDirectory directory : server.directories) {
      directory.storage().delete("probe");
      assertThat(directory.storage().list()).isEmpty();
    }
    endServer();
    for (ModelDirectory directory : server.directories) {
      assertThat(directory.storage().openChannelCount()).isZero();
    }
    memory.close();
  }

  private void push() throws Exception {
    int shuffle = random.nextInt(shuffles);
    List<ModelBlock> pushed = new ArrayList<>();
    int parts = 1 + random.nextInt(4);
    for (int i = 0; i < parts; i++) {
      blocks.addTo(pushed, shuffle);
    }
    int length = pushed.stream().mapToInt(block -> block.bytes().length).sum();
    ByteBuf body = memory.tryAllocate(Model.APPLICATION, length);
    if (body == null) {
      // No memory, as a transport would see it: something must be spilled first.
      beginSpill();
      endSpill();
      return;
    }
    pushed.forEach(block -> body.writeBytes(block.bytes()));
    Push head =
        Push.newBuilder().setShuffle(ModelChecks.id(shuffle)).setEpoch(server.epoch()).build();
    ModelShuffle known = model.find(shuffle);
    if (known != null && known.forgotten) {
      assertThat(ModelChecks.refusal(() -> server.service.push(ModelChecks.CONNECTION, head, body)))
          .isEqualTo(StatusCode.EXPIRED);
      return;
    }
    server.service.push(ModelChecks.CONNECTION, head, body);
    ModelShuffle expected = model.shuffle(shuffle);
    // A push of no blocks at all does not count as writing.
    expected.written |= !pushed.isEmpty();
    checks.accept(shuffle, expected, pushed);
  }

  private void beginSpill() {
    ShuffleLog log = anyLog();
    SpillBatch batch = log == null ? null : log.takeForSpill(1L + random.nextInt(1 << 13));
    if (batch != null) {
      spills.add(new Spill(batch, model.entriesOf(batch)));
    }
  }

  private void endSpill() {
    Spill spill = spills.poll();
    if (spill == null) {
      return;
    }
    if (random.nextInt(4) == 0) {
      spills.add(spill);
      spill = spills.poll();
    }
    model.begin(spill.entries());
    model.end(server.spills.write(spill.batch(), anyDisk()));
  }

  private void merge() {
    ShuffleLog log = anyLog();
    List<LoggedRun> runs = log == null ? List.of() : log.runs();
    if (runs.size() < 2) {
      return;
    }
    int from = random.nextInt(runs.size() - 1);
    int to = from + 2 + random.nextInt(Math.min(3, runs.size() - from - 1));
    List<StoredRun> inputs =
        runs.subList(from, Math.min(to, runs.size())).stream().map(LoggedRun::run).toList();
    MergeBatch batch = log.takeForMerge(inputs);
    if (batch == null) {
      return;
    }
    model.begin(model.entriesOf(inputs.stream().map(run -> ((RunFile) run).id()).toList()));
    ByteBuffer buffer = ByteBuffer.allocate(64 << random.nextInt(8));
    MergeOutcome outcome =
        MergeSteps.merge(server.merges, batch, anyDisk(), buffer, bytes -> onDisk());
    model.end(outcome == MergeOutcome.MERGED);
  }

  private void move() {
    ShuffleLog log = anyLog();
    List<LoggedRun> runs = log == null ? List.of() : log.runs();
    if (runs.isEmpty() || moving) {
      return;
    }
    RunFile run = (RunFile) runs.get(random.nextInt(runs.size())).run();
    Disk target = anyDisk();
    if (run.disk().kind().compareTo(target.kind()) >= 0) {
      return;
    }
    moving = true;
    boolean keepMoving = random.nextInt(8) > 0;
    if (MoveSteps.move(
        server.files, run, target, chunk, () -> keepMoving || random.nextBoolean())) {
      model.run(run.id()).directory = server.disks.indexOf(target);
    }
    moving = false;
  }

  private void housekeep() {
    if (housekeeping) {
      return;
    }
    housekeeping = true;
    int lossesBefore = losses;
    server.housekeep();
    if (depth == 0
        && directoriesAtEnd == null
        && losses == lossesBefore
        && server.readFailures() == readFailuresAtLoss) {
      model.counted();
    }
    housekeeping = false;
  }

  private void remove() {
    int shuffle = random.nextInt(shuffles);
    if (random.nextInt(4) > 0) {
      return;
    }
    boolean there = server.store.find(Model.key(shuffle)) != null;
    assertThat(server.store.removeShuffles(Model.APPLICATION, List.of(shuffle)))
        .isEqualTo(there ? 1 : 0);
    model.forget(shuffle);
  }

  private void arrangeFault() throws Exception {
    int at = random.nextInt(server.directories.size());
    ModelDirectory directory = server.directories.get(at);
    switch (random.nextInt(16)) {
      case 0 -> directory.endFaults();
      case 1 -> directory.storage().maxBytesPerWrite(1 + random.nextInt(500));
      case 2 -> directory.catalog().failAtChange(1 + random.nextInt(3));
      case 3, 4 -> directory.storage().failReads(true);
      case 5 -> vanish(at);
      case 6 -> hang(at);
      case 7, 8 -> check(at);
      case 9 -> damage();
      case 10, 11 -> makeUnreadable();
      default -> directory.storage().failAtCall(1 + random.nextInt(6));
    }
  }

  /** A directory vanishes with its contents, until it is checked. */
  private void vanish(int at) {
    server.directories.get(at).storage().vanished(true);
    for (int i = 0; i < 2; i++) {
      server.disks.get(at).health().directoryAbsent(new IOException("vanished"));
    }
  }

  /** A disk hangs until it is declared lost; its contents stay. */
  private void hang(int at) {
    server.disks.get(at).health().probeOverdue(TimeUnit.MINUTES.toNanos(1));
    clock.advance(TimeUnit.MINUTES.toMillis(5));
    server.disks.get(at).health().probeOverdue(TimeUnit.MINUTES.toNanos(6));
  }

  /** A disk is probed until it is healthy again. */
  private void check(int at) throws Exception {
    if (checking) {
      return;
    }
    checking = true;
    server.directories.get(at).storage().vanished(false);
    for (int i = 0; i < 5 && directoriesAtEnd == null; i++) {
      if (depth == 0) {
        watchDisks();
      }
      clock.advance(TimeUnit.MINUTES.toMillis(2));
      WatchSteps.check(server.watch, at);
    }
    checking = false;
  }

  /** A random bit of a run flips, and the next scrub finds it: a block or the run is lost. */
  private void damage() {
    ShuffleLog log = anyLog();
    List<LoggedRun> runs = log == null ? List.of() : log.runs();
    if (depth > 0 || runs.isEmpty()) {
      return;
    }
    RunFile run = (RunFile) runs.get(random.nextInt(runs.size())).run();
    int at = server.disks.indexOf(run.disk());
    if (run.disk().health().state() != HealthState.HEALTHY) {
      return;
    }
    interruptible = false;
    while (!unreadReplies.isEmpty()) {
      readReply();
    }
    server.directories.get(at).endFaults();
    housekeep();
    int offset = random.nextInt((int) run.length());
    var known = run.damage().floorEntry((long) offset);
    server.directories.get(at).storage().flip(run.name(), offset);
    List<RunFile> damaged = new ArrayList<>();
    DamageReports.Loss loss =
        new DamageReports.Loss() {
          @Override
          public void declare(RunFile found, List<DamagedBlock> blocks) {
            damaged.add(found);
            assertThat(blocks).hasSize(1);
            assertThat(offset)
                .isBetween(
                    (int) blocks.get(0).fileOffset(),
                    (int) blocks.get(0).fileOffset() + blocks.get(0).length() - 1);
            if (!model.isUncounted()) {
              readFailuresAtLoss = server.readFailures();
            }
            losses++;
            model.damage(found.id(), blocks.get(0));
            server.watch.declare(found, blocks);
          }

          @Override
          public void declare(RunFile found) {
            damaged.add(found);
            server.watch.declare(found);
          }
        };
    ScrubSteps.scrub(run.disk(), server.files, loss, clock::advance);
    if (known != null && offset < known.getKey() + known.getValue()) {
      assertThat(damaged).as("damaged runs, of known damage").isEmpty();
    } else {
      assertThat(damaged).as("damaged runs").containsExactly(run);
    }
    housekeep();
    interruptible = true;
  }

  /** Makes a run unreadable while its disk is healthy; readers or a disk check detect it. */
  private void makeUnreadable() throws Exception {
    ShuffleLog log = anyLog();
    List<LoggedRun> runs = log == null ? List.of() : log.runs();
    if (depth > 0 || runs.isEmpty()) {
      return;
    }
    RunFile run = (RunFile) runs.get(random.nextInt(runs.size())).run();
    int at = server.disks.indexOf(run.disk());
    server.directories.get(at).storage().failReadsOf(run.name());
    interruptible = false;
    for (int i = random.nextInt(4); i > 0; i--) {
      checks.checkAllBytes(log.key().shuffle());
    }
    interruptible = true;
    if (random.nextBoolean()) {
      check(at);
    }
  }

  /**
   * The server declared a run lost, because it is damaged or unreadable although its disk is
   * healthy.
   */
  private void declaredLost(RunFile run) {
    if (directoriesAtEnd == null) {
      lose(each -> each == model.run(run.id()));
    }
  }

  /** Marks the data of some runs as lost. */
  private void lose(Predicate<ModelRun> lost) {
    if (!model.isUncounted()) {
      readFailuresAtLoss = server.readFailures();
    }
    losses++;
    model.lose(lost);
  }

  /** Lets the server declare the runs on lost disks as lost. */
  private void watchDisks() {
    Set<Integer> lost = new HashSet<>();
    for (int i = 0; i < server.disks.size(); i++) {
      if (!server.disks.get(i).health().state().isReadable()) {
        lost.add(i);
      }
    }
    if (!lost.isEmpty()) {
      lose(run -> lost.contains(run.directory));
      WatchSteps.check(server.watch);
    }
  }

  private void fetch() throws Exception {
    ModelChecks.UnreadReply reply = checks.fetch();
    if (reply == null) {
      return;
    }
    if (directoriesAtEnd == null && unreadReplies.size() < 4 && random.nextInt(3) == 0) {
      unreadReplies.add(reply);
    } else {
      checks.check(reply);
    }
  }

  private void readReply() {
    if (!unreadReplies.isEmpty()) {
      checks.check(unreadReplies.poll());
    }
  }

  private ShuffleLog anyLog() {
    List<ShuffleLog> logs = new ArrayList<>(server.store.logs());
    return logs.isEmpty() ? null : logs.get(random.nextInt(logs.size()));
  }

  private Disk anyDisk() {
    return server.disks.get(random.nextInt(server.disks.size()));
  }

  static byte[] read(FetchedBytes fetched) throws IOException {
    ByteBuffer all = ByteBuffer.allocate(fetched.length());
    for (FetchedBytes.Piece piece : fetched.pieces()) {
      if (piece instanceof FetchedBytes.MemoryPiece memory) {
        all.put(memory.buffer().nioBuffer());
      } else {
        FetchedBytes.FilePiece file = (FetchedBytes.FilePiece) piece;
        int end = all.position() + file.length();
        ByteBuffer part = all.duplicate().limit(end);
        long position = file.position();
        while (part.hasRemaining()) {
          int count = file.channel().read(part, position);
          if (count < 0) {
            throw new EOFException("the file ends at " + position);
          }
          position += count;
        }
        all.position(end);
      }
    }
    assertThat(all.hasRemaining()).isFalse();
    return Arrays.copyOf(all.array(), all.capacity());
  }
}
