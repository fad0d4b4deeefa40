package io.sluice.server.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.Fetch;
import io.sluice.proto.Open;
import io.sluice.proto.OpenReply;
import io.sluice.proto.PartitionState;
import io.sluice.proto.Presence;
import io.sluice.proto.Push;
import io.sluice.proto.Range;
import io.sluice.proto.ShuffleId;
import io.sluice.server.catalog.InMemoryCatalog;
import io.sluice.server.log.BlockBytes;
import io.sluice.server.log.LogConfig;
import io.sluice.server.log.ShuffleLog;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.log.SpillBatch;
import io.sluice.server.log.StoreConfig;
import io.sluice.server.memory.MemoryBudget;
import io.sluice.server.memory.MemoryConfig;
import io.sluice.server.read.InlineReads;
import io.sluice.server.spill.SpillWriter;
import io.sluice.server.storage.Disk;
import io.sluice.server.storage.DiskLimits;
import io.sluice.server.storage.InMemoryStorage;
import io.sluice.server.storage.RunFiles;
import io.sluice.server.storage.StorageKind;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/**
 * The whole store against a model of byte arrays. Goal: whatever the order of pushes, duplicates,
 * spills that succeed or fail, reads and removals, every read gives exactly the bytes that were
 * accepted, every Open says exactly what is complete, and in the end nothing is held. Method: many
 * short random schedules in one thread; a batch that is being spilled stays open over any number of
 * other steps. A failure names its seed.
 */
class StoreModelTest {
  private static final long EPOCH = 1_795_000_000_000L;
  private static final ClientConnection CONNECTION =
      new ClientConnection("app", "test", "loopback");
  private static final ScheduledThreadPoolExecutor SCHEDULER = new ScheduledThreadPoolExecutor(1);

  @AfterAll
  static void stop() {
    SCHEDULER.shutdownNow();
  }

  @Test
  void behavesLikeTheModelOverShortSchedules() throws Exception {
    for (int seed = 0; seed < 2000; seed++) {
      run(seed, 40);
    }
  }

  @Test
  void behavesLikeTheModelOverLongSchedules() throws Exception {
    for (int seed = 0; seed < 10; seed++) {
      run(1_000_000 + seed, 1500);
    }
  }

  private static void run(int seed, int steps) throws Exception {
    Schedule schedule = new Schedule(seed);
    try {
      for (int i = 0; i < steps; i++) {
        schedule.step();
      }
      schedule.finish();
    } catch (Exception | AssertionError e) {
      throw new AssertionError("seed " + seed, e);
    }
  }

  /** Blocks that a map attempt has for a partition. */
  private record Blocks(List<byte[]> sequence) {}

  /** Bytes of which parts can be copied without copying all. */
  private static final class Bytes extends ByteArrayOutputStream {
    void copyTo(ByteArrayOutputStream target, int offset, int length) {
      target.write(buf, offset, length);
    }
  }

  private static final class ModelPartition {
    final Bytes bytes = new Bytes();
    final Map<Long, BitSet> seen = new HashMap<>();
    final TreeSet<Long> complete = new TreeSet<>();
  }

  private static final class ModelShuffle {
    final Map<Integer, ModelPartition> partitions = new TreeMap<>();
    boolean written;
  }

  @SuppressWarnings("ArrayRecordComponent")
  private record Held(FetchedBytes bytes, byte[] expected) {}

  private static final class Schedule {
    private static final int SHUFFLES = 3;
    private static final int PARTITIONS = 6;
    private static final int ATTEMPTS = 12;

    private final Random random;
    private final MemoryBudget memory;
    private final ShuffleStore store;
    private final RunFiles runs = new RunFiles(1);
    private final List<InMemoryStorage> storages = new ArrayList<>();
    private final List<Disk> disks = new ArrayList<>();
    private final ServerCounters counters = new ServerCounters();
    private final SpillWriter writer;
    private final StoreDataService service;
    private final Map<Integer, ModelShuffle> model = new HashMap<>();
    private final Set<Integer> expired = new HashSet<>();
    // What each attempt will ever send to each partition of each shuffle.
    private final Map<String, Blocks> blocks = new HashMap<>();
    private final List<SpillBatch> spilling = new ArrayList<>();
    private final List<Held> held = new ArrayList<>();
    private final int largestPayload;

    Schedule(int seed) {
      random = new Random(seed);
      int slab = 1024 << random.nextInt(2);
      memory =
          new MemoryBudget(
              new MemoryConfig(slab * (48L + random.nextInt(48)), slab, 75, 25), System::nanoTime);
      largestPayload = random.nextInt(4) == 0 ? 6 * slab : 200;
      store =
          new ShuffleStore(
              new StoreConfig(100, 100, 1 << 20, 1000, 1 << 30, new LogConfig(500, 1 << 30, 1000, 1000)));
      writer = new SpillWriter(EPOCH, runs, random, counters);
      service =
          new StoreDataService(
              ServerEpochs.first(EPOCH), ServiceConfig.DEFAULT, memory, store, InlineReads.create(SCHEDULER), () -> true, SCHEDULER, counters);
      for (int i = 0; i < 2; i++) {
        InMemoryStorage storage = new InMemoryStorage("disk-" + i, StorageKind.SSD);
        storages.add(storage);
        disks.add(new Disk(storage, new InMemoryCatalog(), DiskLimits.DEFAULT, System::nanoTime));
      }
    }

    void step() throws Exception {
      switch (random.nextInt(20)) {
        case 0, 1, 2, 3, 4, 5, 6, 7 -> push();
        case 8, 9 -> beginSpill();
        case 10, 11 -> endSpill();
        case 12, 13, 14 -> fetch();
        case 15, 16 -> open();
        case 17 -> releaseHeld();
        case 18 -> arrangeFault();
        default -> {
          if (random.nextInt(8) == 0) {
            remove();
          }
        }
      }
    }

    void finish() throws Exception {
      for (InMemoryStorage storage : storages) {
        storage.failAtCall(Integer.MAX_VALUE);
      }
      while (!spilling.isEmpty()) {
        endSpill();
      }
      for (int shuffle = 0; shuffle < SHUFFLES; shuffle++) {
        checkOpen(shuffle);
        checkAllBytes(shuffle);
      }
      store.applications().forEach(store::removeApplication);
      store.close();
      while (!held.isEmpty()) {
        releaseHeld();
      }
      assertThat(memory.usedBytes()).isZero();
      assertThat(store.totals().bufferedBytes()).isZero();
      assertThat(store.totals().spillingBytes()).isZero();
      assertThat(store.totals().bufferedExtents()).isZero();
      assertThat(store.totals().storedBytes()).isZero();
      assertThat(store.totals().partitions()).isZero();
      runs.close();
      assertThat(runs.count()).isZero();
      for (InMemoryStorage storage : storages) {
        assertThat(storage.list()).isEmpty();
        assertThat(storage.unfinishedCount()).isZero();
        assertThat(storage.openChannelCount()).isZero();
      }
      memory.close();
    }

    private void push() throws Exception {
      int shuffle = random.nextInt(SHUFFLES);
      List<byte[]> frame = new ArrayList<>();
      List<int[]> what = new ArrayList<>();
      int parts = 1 + random.nextInt(4);
      for (int i = 0; i < parts; i++) {
        addBlocks(shuffle, frame, what);
      }
      byte[] bytes = concat(frame);
      ByteBuf body = memory.tryAllocate("app", bytes.length);
      if (body == null) {
        // No memory, as a transport would see it: something must be spilled first.
        beginSpill();
        endSpill();
        return;
      }
      body.writeBytes(bytes);
      Push head = Push.newBuilder().setShuffle(id(shuffle)).setEpoch(EPOCH).build();
      if (expired.contains(shuffle)) {
        assertThat(refusal(() -> service.push(CONNECTION, head, body)))
            .isEqualTo(StatusCode.EXPIRED);
        return;
      }
      service.push(CONNECTION, head, body);
      ModelShuffle expected = model.computeIfAbsent(shuffle, unused -> new ModelShuffle());
      // A push of no blocks at all does not count as writing.
      expected.written |= !frame.isEmpty();
      for (int i = 0; i < frame.size(); i++) {
        accept(expected, what.get(i), frame.get(i));
      }
    }

    /** Some blocks of one attempt and partition, in any order, some of them perhaps twice. */
    private void addBlocks(int shuffle, List<byte[]> frame, List<int[]> what) {
      int attempt = random.nextInt(ATTEMPTS);
      int partition = random.nextInt(PARTITIONS);
      List<byte[]> all =
          blocks
              .computeIfAbsent(
                  shuffle + "/" + attempt + "/" + partition,
                  unused -> makeBlocks(attempt, partition))
              .sequence();
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
      for (int sequence : chosen) {
        frame.add(all.get(sequence));
        what.add(
            new int[] {
              attempt, partition, sequence, sequence == all.size() - 1 ? 1 : 0, all.size()
            });
      }
    }

    private Blocks makeBlocks(int attempt, int partition) {
      List<byte[]> sequence = new ArrayList<>();
      int count = 1 + random.nextInt(4);
      for (int i = 0; i < count; i++) {
        boolean last = i == count - 1;
        int length = random.nextInt(1 + random.nextInt(largestPayload)) + (last ? 0 : 1);
        sequence.add(
            BlockBytes.block(
                attempt, attempt % 7, partition, i, last, BlockBytes.payload(random, length)));
      }
      return new Blocks(sequence);
    }

    private static void accept(ModelShuffle shuffle, int[] what, byte[] block) {
      ModelPartition partition =
          shuffle.partitions.computeIfAbsent(what[1], unused -> new ModelPartition());
      BitSet seen = partition.seen.computeIfAbsent((long) what[0], unused -> new BitSet());
      if (seen.get(what[2])) {
        return;
      }
      seen.set(what[2]);
      partition.bytes.writeBytes(block);
      if (seen.cardinality() == what[4]) {
        partition.complete.add((long) what[0]);
      }
    }

    private void beginSpill() {
      List<ShuffleLog> logs = new ArrayList<>(store.logs());
      if (logs.isEmpty()) {
        return;
      }
      ShuffleLog log = logs.get(random.nextInt(logs.size()));
      SpillBatch batch = log.takeForSpill(1L + random.nextInt(1 << 15));
      if (batch != null) {
        spilling.add(batch);
      }
    }

    private void endSpill() {
      if (!spilling.isEmpty()) {
        SpillBatch batch = spilling.remove(random.nextInt(spilling.size()));
        writer.write(batch, disks.get(random.nextInt(disks.size())));
      }
    }

    private void arrangeFault() {
      InMemoryStorage storage = storages.get(random.nextInt(storages.size()));
      storage.failAtCall(1 + random.nextInt(6));
      storage.writeAtMost(random.nextBoolean() ? Integer.MAX_VALUE : 1 + random.nextInt(500));
    }

    private void fetch() throws Exception {
      int shuffle = random.nextInt(SHUFFLES);
      ModelShuffle expected = model.get(shuffle);
      Fetch.Builder fetch = Fetch.newBuilder().setShuffle(id(shuffle)).setEpoch(EPOCH);
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      boolean inRange = expected != null && !expected.partitions.isEmpty();
      int ranges = 1 + random.nextInt(5);
      for (int i = 0; i < ranges; i++) {
        int partition = random.nextInt(PARTITIONS);
        ModelPartition there = expected == null ? null : expected.partitions.get(partition);
        int size = there == null ? 0 : there.bytes.size();
        int offset = random.nextInt(size + 1);
        int length = 1 + random.nextInt(Math.max(1, size - offset));
        if (random.nextInt(20) == 0) {
          length = size - offset + 1;
        }
        if (offset + length > size) {
          inRange = false;
        } else {
          there.bytes.copyTo(bytes, offset, length);
        }
        fetch.addRanges(
            Range.newBuilder().setPartition(partition).setOffset(offset).setLength(length));
      }
      if (!inRange) {
        StatusCode code =
            refusal(() -> InlineReads.await(service.fetch(CONNECTION, fetch.build())));
        assertThat(code)
            .isEqualTo(
                expired.contains(shuffle)
                    ? StatusCode.EXPIRED
                    : expected == null || !expected.written
                        ? StatusCode.NEVER_WRITTEN
                        : StatusCode.OUT_OF_RANGE);
        return;
      }
      FetchedBytes found = InlineReads.await(service.fetch(CONNECTION, fetch.build()));
      assertThat(found.length()).isEqualTo(bytes.size());
      Held fetched = new Held(found, bytes.toByteArray());
      if (held.size() < 4 && random.nextInt(3) == 0) {
        held.add(fetched);
      } else {
        check(fetched);
      }
    }

    private void releaseHeld() throws IOException {
      if (!held.isEmpty()) {
        check(held.remove(random.nextInt(held.size())));
      }
    }

    private static void check(Held fetched) throws IOException {
      try (FetchedBytes bytes = fetched.bytes()) {
        assertThat(read(bytes)).isEqualTo(fetched.expected());
      }
    }

    private void open() throws Exception {
      checkOpen(random.nextInt(SHUFFLES));
    }

    private void checkOpen(int shuffle) throws Exception {
      Open.Builder open =
          Open.newBuilder().setShuffle(id(shuffle)).setAssignedEpoch(EPOCH).setWantSliceMarks(true);
      for (int partition = 0; partition < PARTITIONS; partition++) {
        open.addPartitions(partition);
      }
      OpenReply reply = service.open(CONNECTION, open.build()).toCompletableFuture().get();
      ModelShuffle expected = model.get(shuffle);
      for (int partition = 0; partition < PARTITIONS; partition++) {
        PartitionState state = reply.getPartitions(partition);
        if (expired.contains(shuffle)) {
          assertThat(state.getPresence()).isEqualTo(Presence.SHUFFLE_EXPIRED);
          continue;
        }
        boolean written = expected != null && expected.written;
        ModelPartition there = written ? expected.partitions.get(partition) : null;
        if (there == null) {
          assertThat(state.getPresence())
              .isEqualTo(written ? Presence.PARTITION_EMPTY : Presence.SHUFFLE_NEVER_WRITTEN);
          continue;
        }
        assertThat(state.getPresence()).isEqualTo(Presence.PRESENT);
        assertThat(state.getLength()).isEqualTo(there.bytes.size());
        assertThat(AttemptSets.decode(reply.getAttemptSets(state.getCompleteAttempts())).toArray())
            .containsExactly(there.complete.stream().mapToLong(Long::longValue).toArray());
        long end = 0;
        for (var mark : state.getSliceMarksList()) {
          assertThat(mark.getOffset()).isEqualTo(end);
          end += mark.getLength();
        }
        assertThat(end).isEqualTo(state.getLength());
      }
      assertThat(reply.getAttemptSetsList()).doesNotHaveDuplicates();
    }

    private void checkAllBytes(int shuffle) throws Exception {
      ModelShuffle expected = model.get(shuffle);
      if (expected == null) {
        return;
      }
      for (var entry : expected.partitions.entrySet()) {
        Fetch fetch =
            Fetch.newBuilder()
                .setShuffle(id(shuffle))
                .setEpoch(EPOCH)
                .addRanges(
                    Range.newBuilder()
                        .setPartition(entry.getKey())
                        .setLength(entry.getValue().bytes.size()))
                .build();
        check(
            new Held(
                InlineReads.await(service.fetch(CONNECTION, fetch)),
                entry.getValue().bytes.toByteArray()));
      }
    }

    private void remove() {
      int shuffle = random.nextInt(SHUFFLES);
      boolean there = store.find(new io.sluice.server.log.ShuffleKey("app", shuffle)) != null;
      assertThat(store.removeShuffles("app", List.of(shuffle))).isEqualTo(there ? 1 : 0);
      model.remove(shuffle);
      expired.add(shuffle);
      runs.deletePending();
    }

    private static StatusCode refusal(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
      Throwable thrown = org.assertj.core.api.Assertions.catchThrowable(call);
      assertThat(thrown).isInstanceOf(SluiceException.class);
      return ((SluiceException) thrown).code();
    }

    private static ShuffleId id(int shuffle) {
      return ShuffleId.newBuilder().setApplication("app").setShuffle(shuffle).build();
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
      return all.array();
    }

    private static byte[] concat(List<byte[]> parts) {
      byte[] all = new byte[parts.stream().mapToInt(part -> part.length).sum()];
      int at = 0;
      for (byte[] part : parts) {
        System.arraycopy(part, 0, all, at, part.length);
        at += part.length;
      }
      return Arrays.copyOf(all, at);
    }
  }
}
