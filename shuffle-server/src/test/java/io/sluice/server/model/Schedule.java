package io.sluice.server.model;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.netty.buffer.ByteBuf;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.common.run.RunId;
import io.sluice.common.run.RunOrder;
import io.sluice.proto.Fetch;
import io.sluice.proto.LostStretch;
import io.sluice.proto.Open;
import io.sluice.proto.OpenReply;
import io.sluice.proto.PartitionState;
import io.sluice.proto.Presence;
import io.sluice.proto.Push;
import io.sluice.proto.Range;
import io.sluice.proto.ShuffleId;
import io.sluice.server.background.MergeOutcome;
import io.sluice.server.background.MergeSteps;
import io.sluice.server.background.MoveSteps;
import io.sluice.server.background.ScrubSteps;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.HealthState;
import io.sluice.server.disk.RunFile;
import io.sluice.server.disk.RunFiles;
import io.sluice.server.disk.Storage;
import io.sluice.server.disk.StorageKind;
import io.sluice.server.disk.WatchSteps;
import io.sluice.server.log.LoggedRun;
import io.sluice.server.log.MergeBatch;
import io.sluice.server.log.ShuffleLog;
import io.sluice.server.log.SpillBatch;
import io.sluice.server.log.StoredRun;
import io.sluice.server.memory.MemoryBudget;
import io.sluice.server.memory.MemoryConfig;
import io.sluice.server.read.InlineReads;
import io.sluice.transport.protocol.AttemptSets;
import io.sluice.transport.server.ClientConnection;
import io.sluice.transport.server.FetchedBytes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * One random schedule, all of which follows from its seed. A step may take place in the middle of
 * another one: wherever the server would wait for a disk, so that what threads do at the same time
 * is done in one, and the process may end there too.
 */
final class Schedule {
  private static final int MAX_SHUFFLES = 3;
  private static final int PARTITIONS = 6;
  private static final int ATTEMPTS = 12;
  private static final int MAX_DEPTH = 2;
  private static final StorageKind[] KINDS = {StorageKind.SSD, StorageKind.SSD, StorageKind.HDD};
  private static final ClientConnection CONNECTION =
      new ClientConnection(Model.APPLICATION, "test", "loopback");

  /** An answer that its client has not read yet. */
  @SuppressWarnings("ArrayRecordComponent")
  private record Held(FetchedBytes bytes, byte[] expected) {}

  /** A batch that is to be written. */
  private record Spill(SpillBatch batch, List<ModelEntry> entries) {}

  private final Random random;
  private final Random ids;
  private final ScheduledExecutorService timer;
  private final ModelClock clock = new ModelClock();
  private final MemoryBudget memory;
  private final int shuffles;
  private final int largestPayload;
  private final boolean faulty;
  private final Model model = new Model();
  // What each attempt will ever send to each partition of each shuffle.
  private final Map<String, List<ModelBlock>> blocks = new HashMap<>();
  private final ByteBuffer chunk = ByteBuffer.allocate(300);

  private ServerModel life;
  private final Deque<Spill> spills = new ArrayDeque<>();
  private final Deque<Held> held = new ArrayDeque<>();
  // What the next life will find; null: this one goes on.
  private List<ModelDirectory> left;
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
    largestPayload = random.nextInt(4) == 0 ? 6 * slab : 200;
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
      life.directories.forEach(each -> each.storage().failReads(false));
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
      checkOpen(random.nextInt(shuffles));
    } else if (choice < 71) {
      releaseHeld();
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

  /** Is called wherever a disk is waited for. */
  private void onDisk() {
    if (!interruptible || left != null) {
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
    if (left != null) {
      restart();
    } else {
      look();
    }
  }

  private void start(List<ModelDirectory> directories, long previousEpoch) throws Exception {
    interruptible = false;
    life =
        new ServerModel(
            directories, previousEpoch, memory, clock, ids, random, timer, this::isGivenUp);
    losses = 0;
    for (int i = 0; i < directories.size(); i++) {
      int directory = i;
      directories.get(i).storage().beforeCall(this::onDisk);
      directories
          .get(i)
          .catalog()
          .listen(this::onDisk, record -> model.registered(record, directory));
    }
  }

  /** The process ends here: whatever goes on does so for nothing. */
  private void crash() {
    left = life.directories.stream().map(ModelDirectory::afterCrash).toList();
    life.directories.forEach(ModelDirectory::cutOff);
  }

  private void stop() throws Exception {
    interruptible = false;
    while (!spills.isEmpty()) {
      endSpill();
    }
    for (ShuffleLog log : life.store.logs()) {
      for (SpillBatch batch = log.takeForSpill(1 << 12);
          batch != null;
          batch = log.takeForSpill(1 << 12)) {
        spills.add(new Spill(batch, model.entriesOf(batch)));
        endSpill();
        if (life.store.totals().bufferedBytes() > 0 && random.nextInt(8) == 0) {
          break;
        }
      }
    }
    housekeep();
    life.markStop();
    crash();
  }

  private void restart() throws Exception {
    endLife();
    long previous = life.epoch();
    List<ModelDirectory> found = left;
    left = null;
    model.restart(found);
    start(found, previous);
    model.restarted(servedRuns());
    assertThat(life.recovered.wholeSinceEpoch())
        .as("epoch since which everything is there")
        .isGreaterThan(model.newestGone());
    checkAll();
    interruptible = true;
  }

  /** Of each shuffle in the order of their blocks. */
  private Map<RunId, Integer> servedRuns() {
    Map<RunId, Integer> served = new LinkedHashMap<>();
    for (ShuffleLog log : life.store.logs()) {
      RunOrder last = new RunOrder(0, 0);
      for (LoggedRun run : log.runs()) {
        RunFile file = (RunFile) run.run();
        served.put(file.id(), life.disks.indexOf(file.disk()));
        assertThat(run.order()).isGreaterThanOrEqualTo(last);
        last = run.order();
      }
    }
    return served;
  }

  private void endLife() {
    spills.forEach(spill -> spill.batch().log().abortSpill(spill.batch()));
    spills.clear();
    held.forEach(each -> each.bytes().close());
    held.clear();
    life.end();
    assertThat(memory.usedBytes()).as("memory that is used after the end").isZero();
    assertThat(life.store.totals().bufferedBytes()).isZero();
    assertThat(life.store.totals().spillingBytes()).isZero();
    assertThat(life.store.totals().bufferedExtents()).isZero();
    assertThat(life.store.totals().storedBytes()).isZero();
    assertThat(life.store.totals().partitions()).isZero();
    assertThat(life.store.totals().metadataBytes()).isZero();
  }

  private void finish() throws Exception {
    interruptible = false;
    life.directories.forEach(ModelDirectory::endFaults);
    checkAll();
    if (random.nextBoolean()) {
      stop();
    } else {
      crash();
    }
    restart();
    interruptible = false;
    housekeep();
    checkDirectories();
    for (int shuffle = 0; shuffle < shuffles; shuffle++) {
      life.store.removeShuffles(Model.APPLICATION, List.of(shuffle));
    }
    housekeep();
    checkDirectories();
    assertThat(life.files.count()).isZero();
    for (ModelDirectory directory : life.directories) {
      directory.storage().delete("probe");
      assertThat(directory.storage().list()).isEmpty();
    }
    endLife();
    for (ModelDirectory directory : life.directories) {
      assertThat(directory.storage().openChannelCount()).isZero();
    }
    memory.close();
  }

  private void push() throws Exception {
    int shuffle = random.nextInt(shuffles);
    List<ModelBlock> pushed = new ArrayList<>();
    int parts = 1 + random.nextInt(4);
    for (int i = 0; i < parts; i++) {
      addBlocks(shuffle, pushed);
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
    Push head = Push.newBuilder().setShuffle(id(shuffle)).setEpoch(life.epoch()).build();
    ModelShuffle known = model.find(shuffle);
    if (known != null && known.forgotten) {
      assertThat(refusal(() -> life.service.push(CONNECTION, head, body)))
          .isEqualTo(StatusCode.EXPIRED);
      return;
    }
    life.service.push(CONNECTION, head, body);
    ModelShuffle expected = model.shuffle(shuffle);
    // A push of no blocks at all does not count as writing.
    expected.written |= !pushed.isEmpty();
    accept(shuffle, expected, pushed);
  }

  private void accept(int shuffle, ModelShuffle expected, List<ModelBlock> pushed)
      throws Exception {
    Set<Integer> uncounted = new TreeSet<>();
    for (ModelBlock block : pushed) {
      ModelPartition partition = expected.partition(block.partition());
      if (partition.isUncounted()) {
        uncounted.add(block.partition());
      } else if (!partition.has(block)) {
        partition.accept(block, life.epoch());
      }
    }
    for (int index : uncounted) {
      learn(shuffle, expected.partition(index), index, pushed);
    }
  }

  /** Which blocks the server took though it had them: what it says must make sense. */
  private void learn(int shuffle, ModelPartition partition, int index, List<ModelBlock> pushed)
      throws Exception {
    long length =
        life.store
            .find(Model.key(shuffle))
            .snapshot(new int[] {index}, false)
            .partitions()
            .get(0)
            .length();
    ByteBuffer grown = ByteBuffer.allocate((int) (length - partition.length()));
    if (grown.hasRemaining()) {
      Fetch fetch = fetchOf(shuffle, index, partition.length(), grown.capacity());
      try (FetchedBytes bytes = InlineReads.await(life.service.fetch(CONNECTION, fetch))) {
        grown.put(read(bytes)).flip();
      }
    }
    for (ModelBlock block : pushed) {
      if (block.partition() != index) {
        continue;
      }
      int size = block.bytes().length;
      boolean taken =
          grown.remaining() >= size
              && grown.slice(grown.position(), size).equals(ByteBuffer.wrap(block.bytes()));
      if (taken) {
        partition.accept(block, life.epoch());
        grown.position(grown.position() + size);
      } else {
        assertThat(partition.has(block)).as("%s is refused, but lost", block).isTrue();
      }
    }
    assertThat(grown.hasRemaining())
        .as("partition %d grew by what was not pushed", index)
        .isFalse();
  }

  /** Some blocks of one attempt and partition, in any order, some of them perhaps twice. */
  private void addBlocks(int shuffle, List<ModelBlock> pushed) {
    int attempt = random.nextInt(ATTEMPTS);
    int partition = random.nextInt(PARTITIONS);
    List<ModelBlock> all =
        blocks.computeIfAbsent(
            shuffle + "/" + attempt + "/" + partition, unused -> makeBlocks(attempt, partition));
    List<Integer> chosen = new ArrayList<>();
    if (random.nextBoolean()) {
      for (int i = 0; i < all.size(); i++) {
        chosen.add(i);
      }
    }
    if (random.nextBoolean()) {
      chosen.add(random.nextInt(all.size()));
      Collections.shuffle(chosen, random);
    }
    chosen.forEach(sequence -> pushed.add(all.get(sequence)));
  }

  private List<ModelBlock> makeBlocks(int attempt, int partition) {
    List<ModelBlock> made = new ArrayList<>();
    int count = 1 + random.nextInt(4);
    for (int i = 0; i < count; i++) {
      boolean last = i == count - 1;
      int length = random.nextInt(1 + random.nextInt(largestPayload)) + (last ? 0 : 1);
      byte[] bytes =
          io.sluice.server.log.BlockBytes.block(
              attempt,
              attempt % 7,
              partition,
              i,
              last,
              io.sluice.server.log.BlockBytes.payload(random, length));
      made.add(new ModelBlock(attempt, partition, i, count, bytes));
    }
    return made;
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
    model.end(life.spills.write(spill.batch(), anyDisk()));
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
        MergeSteps.merge(life.merges, batch, anyDisk(), buffer, bytes -> onDisk());
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
    boolean goOn = random.nextInt(8) > 0;
    if (MoveSteps.move(life.files, run, target, chunk, () -> goOn || random.nextBoolean())) {
      model.run(run.id()).directory = life.disks.indexOf(target);
    }
    moving = false;
  }

  private void housekeep() {
    if (housekeeping) {
      return;
    }
    housekeeping = true;
    int lossesBefore = losses;
    life.housekeep();
    if (depth == 0
        && left == null
        && losses == lossesBefore
        && life.readFailures() == readFailuresAtLoss) {
      model.counted();
    }
    housekeeping = false;
  }

  private void remove() {
    int shuffle = random.nextInt(shuffles);
    if (random.nextInt(4) > 0) {
      return;
    }
    boolean there = life.store.find(Model.key(shuffle)) != null;
    assertThat(life.store.removeShuffles(Model.APPLICATION, List.of(shuffle)))
        .isEqualTo(there ? 1 : 0);
    model.forget(shuffle);
  }

  private void arrangeFault() throws Exception {
    int at = random.nextInt(life.directories.size());
    ModelDirectory directory = life.directories.get(at);
    switch (random.nextInt(16)) {
      case 0 -> directory.endFaults();
      case 1 -> directory.storage().writeAtMost(1 + random.nextInt(500));
      case 2 -> directory.catalog().failAtChange(1 + random.nextInt(3));
      case 3, 4 -> directory.storage().failReads(true);
      case 5 -> vanish(at);
      case 6 -> hang(at);
      case 7, 8 -> check(at);
      case 9 -> damage();
      case 10, 11 -> spoil();
      default -> directory.storage().failAtCall(1 + random.nextInt(6));
    }
  }

  /** A directory vanishes with all that was in it, until it is checked. */
  private void vanish(int at) {
    life.directories.get(at).storage().vanished(true);
    for (int i = 0; i < 2; i++) {
      life.disks.get(at).health().directoryAbsent(new IOException("vanished"));
    }
  }

  /** A disk does not answer for so long that it is given up; what is on it stays. */
  private void hang(int at) {
    life.disks.get(at).health().probeOverdue(TimeUnit.MINUTES.toNanos(1));
    clock.advance(TimeUnit.MINUTES.toMillis(5));
    life.disks.get(at).health().probeOverdue(TimeUnit.MINUTES.toNanos(6));
  }

  /** A disk is probed until it is trusted again. */
  private void check(int at) throws Exception {
    if (checking) {
      return;
    }
    checking = true;
    life.directories.get(at).storage().vanished(false);
    for (int i = 0; i < 5 && left == null; i++) {
      if (depth == 0) {
        look();
      }
      clock.advance(TimeUnit.MINUTES.toMillis(2));
      WatchSteps.check(life.watch, at);
    }
    checking = false;
  }

  /** A bit of a run flips, anywhere in its file, and the next scrubbing finds it. */
  private void damage() {
    ShuffleLog log = anyLog();
    List<LoggedRun> runs = log == null ? List.of() : log.runs();
    if (depth > 0 || runs.isEmpty()) {
      return;
    }
    RunFile run = (RunFile) runs.get(random.nextInt(runs.size())).run();
    int at = life.disks.indexOf(run.disk());
    if (run.disk().health().state() != HealthState.HEALTHY) {
      return;
    }
    interruptible = false;
    while (!held.isEmpty()) {
      releaseHeld();
    }
    life.directories.get(at).endFaults();
    housekeep();
    life.directories.get(at).storage().flip(run.name(), random.nextInt((int) run.length()));
    Set<RunFile> damaged = new HashSet<>();
    ScrubSteps.scrub(
        run.disk(),
        life.files,
        found -> {
          damaged.add(found);
          life.watch.declareLost(found);
        },
        clock::advance);
    assertThat(damaged).as("runs that are found damaged").containsExactly(run);
    housekeep();
    interruptible = true;
  }

  /** A run cannot be read from now on, while its disk is well; readers notice, or the disk does. */
  private void spoil() throws Exception {
    ShuffleLog log = anyLog();
    List<LoggedRun> runs = log == null ? List.of() : log.runs();
    if (depth > 0 || runs.isEmpty()) {
      return;
    }
    RunFile run = (RunFile) runs.get(random.nextInt(runs.size())).run();
    int at = life.disks.indexOf(run.disk());
    life.directories.get(at).storage().failReadsOf(run.name());
    interruptible = false;
    for (int i = random.nextInt(4); i > 0; i--) {
      checkAllBytes(log.key().shuffle());
    }
    interruptible = true;
    if (random.nextBoolean()) {
      check(at);
    }
  }

  /** A run is given up because it is damaged, or cannot be read though its disk is well. */
  private void isGivenUp(RunFile run) {
    if (left == null) {
      loses(each -> each == model.run(run.id()));
    }
  }

  /** From now on what is in some runs is lost. */
  private void loses(Predicate<ModelRun> gone) {
    if (!model.isUncounted()) {
      readFailuresAtLoss = life.readFailures();
    }
    losses++;
    model.lose(gone);
  }

  /** What lies on disks that are lost is declared lost. */
  private void look() {
    Set<Integer> gone = new HashSet<>();
    for (int i = 0; i < life.disks.size(); i++) {
      if (!life.disks.get(i).health().state().holdsData()) {
        gone.add(i);
      }
    }
    if (!gone.isEmpty()) {
      loses(run -> gone.contains(run.directory));
      WatchSteps.look(life.watch);
    }
  }

  private void fetch() throws Exception {
    int shuffle = random.nextInt(shuffles);
    ModelShuffle expected = model.find(shuffle);
    Fetch.Builder fetch = Fetch.newBuilder().setShuffle(id(shuffle)).setEpoch(life.epoch());
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    StatusCode refusal = null;
    if (expected == null || expected.forgotten || !expected.written) {
      refusal =
          expected != null && expected.forgotten ? StatusCode.EXPIRED : StatusCode.NEVER_WRITTEN;
    }
    int ranges = 1 + random.nextInt(5);
    for (int i = 0; i < ranges; i++) {
      int index = anyPartition(expected);
      ModelPartition there = expected == null ? null : expected.partitions.get(index);
      int size = there == null ? 0 : (int) there.length();
      int offset = random.nextInt(size + 1);
      int length = 1 + random.nextInt(Math.max(1, size - offset));
      if (random.nextInt(50) == 0) {
        length = size - offset + 1;
      }
      if (refusal == null) {
        if (offset + length > size) {
          refusal = StatusCode.OUT_OF_RANGE;
        } else if (there.isLost(offset, offset + length)) {
          refusal = StatusCode.LOST;
        } else {
          there.copyTo(bytes, offset, offset + length);
        }
      }
      fetch.addRanges(Range.newBuilder().setPartition(index).setOffset(offset).setLength(length));
    }
    if (refusal != null) {
      assertThat(refusal(() -> InlineReads.await(life.service.fetch(CONNECTION, fetch.build()))))
          .isEqualTo(refusal);
      return;
    }
    FetchedBytes found = fetch(fetch.build());
    if (found == null) {
      return;
    }
    Held fetched = new Held(found, bytes.toByteArray());
    if (left == null && held.size() < 4 && random.nextInt(3) == 0) {
      held.add(fetched);
    } else {
      check(fetched);
    }
  }

  /** The answer, or null if a disk failed meanwhile. */
  private FetchedBytes fetch(Fetch fetch) {
    int failures = life.readFailures();
    try {
      return InlineReads.await(life.service.fetch(CONNECTION, fetch));
    } catch (SluiceException e) {
      assertThat(life.readFailures()).as("no read failed, but: %s", e).isGreaterThan(failures);
      assertThat(e.code()).isIn(StatusCode.STORAGE_FAILED, StatusCode.LOST);
      return null;
    }
  }

  private void releaseHeld() {
    if (!held.isEmpty()) {
      check(held.poll());
    }
  }

  private void check(Held fetched) {
    int failures = life.readFailures();
    try (FetchedBytes bytes = fetched.bytes()) {
      assertThat(read(bytes)).isEqualTo(fetched.expected());
    } catch (IOException e) {
      assertThat(life.readFailures()).as("no read failed, but: %s", e).isGreaterThan(failures);
    }
  }

  private void checkAll() throws Exception {
    for (int shuffle = 0; shuffle < shuffles; shuffle++) {
      checkOpen(shuffle);
      checkAllBytes(shuffle);
    }
  }

  private void checkOpen(int shuffle) throws Exception {
    long assigned = Math.max(1, life.epoch() - random.nextInt(3));
    Open.Builder open =
        Open.newBuilder()
            .setShuffle(id(shuffle))
            .setAssignedEpoch(assigned)
            .setWantSliceMarks(true);
    for (int partition = 0; partition < PARTITIONS; partition++) {
      open.addPartitions(partition);
    }
    OpenReply reply = life.service.open(CONNECTION, open.build()).toCompletableFuture().get();
    ModelShuffle expected = model.find(shuffle);
    boolean earlier = assigned < life.recovered.wholeSinceEpoch();
    for (int index = 0; index < PARTITIONS; index++) {
      PartitionState state = reply.getPartitions(index);
      if (expected != null && expected.forgotten) {
        assertThat(state.getPresence()).isEqualTo(Presence.SHUFFLE_EXPIRED);
        continue;
      }
      boolean written = expected != null && expected.written;
      ModelPartition there = written ? expected.partitions.get(index) : null;
      if (there == null) {
        assertThat(state.getPresence())
            .isEqualTo(
                earlier
                    ? Presence.DATA_LOST
                    : written ? Presence.PARTITION_EMPTY : Presence.SHUFFLE_NEVER_WRITTEN);
        continue;
      }
      assertThat(state.getPresence()).isEqualTo(Presence.PRESENT);
      check(there, state, attempts(reply.getAttemptSets(state.getCompleteAttempts())));
    }
    assertThat(reply.getAttemptSetsList()).doesNotHaveDuplicates();
  }

  private static void check(ModelPartition expected, PartitionState state, long[] complete) {
    assertThat(state.getLength()).isEqualTo(expected.length());
    List<Long> attempts = Arrays.stream(complete).boxed().toList();
    if (expected.isUncounted()) {
      assertThat(attempts).as("complete attempts").isSubsetOf(expected.complete());
    } else {
      assertThat(attempts).as("complete attempts").containsExactlyElementsOf(expected.complete());
    }
    List<List<Long>> lost = new ArrayList<>();
    for (LostStretch each : state.getLostList()) {
      lost.add(List.of(each.getOffset(), each.getOffset() + each.getLength()));
    }
    assertThat(lost).as("lost stretches").isEqualTo(expected.lost());
    long end = 0;
    for (var mark : state.getSliceMarksList()) {
      assertThat(mark.getOffset()).isEqualTo(end);
      end += mark.getLength();
    }
    assertThat(end).isEqualTo(state.getLength());
  }

  private static long[] attempts(ByteString set) throws IOException {
    return AttemptSets.decode(set).toArray();
  }

  private void checkAllBytes(int shuffle) {
    ModelShuffle expected = model.find(shuffle);
    if (expected == null || expected.forgotten) {
      return;
    }
    expected.partitions.forEach(
        (index, partition) -> {
          if (partition.length() > 0 && !partition.isLost(0, partition.length())) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            partition.copyTo(bytes, 0, partition.length());
            FetchedBytes found = fetch(fetchOf(shuffle, index, 0, (int) partition.length()));
            if (found != null) {
              check(new Held(found, bytes.toByteArray()));
            }
          }
        });
  }

  /** Catalogs and directories have exactly what the logs have. */
  private void checkDirectories() throws Exception {
    List<String> logged = new ArrayList<>();
    for (ShuffleLog log : life.store.logs()) {
      log.runs().forEach(run -> logged.add(run.run().toString()));
    }
    List<String> recorded = new ArrayList<>();
    List<String> stored = new ArrayList<>();
    for (ModelDirectory directory : life.directories) {
      String prefix = directory.storage().name() + "/";
      directory.catalog().runs().forEach(run -> recorded.add(prefix + RunFiles.fileName(run.id())));
      for (Storage.Entry entry : directory.storage().list()) {
        if (RunFiles.runId(entry.file()).isPresent()) {
          stored.add(prefix + entry.file());
        }
      }
      assertThat(directory.storage().unfinishedCount()).isZero();
    }
    assertThat(recorded).containsExactlyInAnyOrderElementsOf(logged);
    assertThat(stored).containsExactlyInAnyOrderElementsOf(logged);
  }

  private int anyPartition(ModelShuffle shuffle) {
    if (shuffle == null || shuffle.partitions.isEmpty() || random.nextInt(20) == 0) {
      return random.nextInt(PARTITIONS);
    }
    List<Integer> there = List.copyOf(shuffle.partitions.keySet());
    return there.get(random.nextInt(there.size()));
  }

  private ShuffleLog anyLog() {
    List<ShuffleLog> logs = new ArrayList<>(life.store.logs());
    return logs.isEmpty() ? null : logs.get(random.nextInt(logs.size()));
  }

  private Disk anyDisk() {
    return life.disks.get(random.nextInt(life.disks.size()));
  }

  private Fetch fetchOf(int shuffle, int partition, long offset, int length) {
    return Fetch.newBuilder()
        .setShuffle(id(shuffle))
        .setEpoch(life.epoch())
        .addRanges(Range.newBuilder().setPartition(partition).setOffset(offset).setLength(length))
        .build();
  }

  private static StatusCode refusal(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    Throwable thrown = org.assertj.core.api.Assertions.catchThrowable(call);
    assertThat(thrown).isInstanceOf(SluiceException.class);
    return ((SluiceException) thrown).code();
  }

  private static ShuffleId id(int shuffle) {
    return ShuffleId.newBuilder().setApplication(Model.APPLICATION).setShuffle(shuffle).build();
  }

  private static byte[] read(FetchedBytes fetched) throws IOException {
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
          position += file.channel().read(part, position);
        }
        all.position(end);
      }
    }
    assertThat(all.hasRemaining()).isFalse();
    return Arrays.copyOf(all.array(), all.capacity());
  }
}
