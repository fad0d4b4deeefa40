package io.sluice.server.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.common.run.RunBlock;
import io.sluice.common.run.RunExtent;
import io.sluice.common.run.RunMark;
import io.sluice.common.run.RunOrder;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ShuffleLogRunsTest {
  private static final long EPOCH = 7;

  private final LogTotals totals = new LogTotals(1 << 20);
  private final ShuffleLog log = newLog();
  private final Random random = new Random(20261121);
  // Expected bytes of each partition, from logical offset 0.
  private final Map<Integer, ByteArrayOutputStream> expected = new TreeMap<>();

  private ShuffleLog newLog() {
    return new ShuffleLog(new ShuffleKey("app", 1), LogConfig.DEFAULT, totals);
  }

  @Test
  void mergedRunReplacesItsInputs() throws SluiceException {
    List<FakeRun> runs = new ArrayList<>();
    for (int map = 0; map < 4; map++) {
      push(map, 0, true, 1, 5, 9 + map);
      runs.add(spill());
    }
    push(99, 0, true, 1, 5);

    MergeBatch batch = log.takeForMerge(List.copyOf(runs.subList(1, 4)));

    assertThat(batch.order()).isEqualTo(new RunOrder(EPOCH, 1));
    assertThat(batch.partCount()).isEqualTo(5);
    assertThat(batch.pieceCount()).isEqualTo(9);
    assertThat(log.runs())
        .extracting(LoggedRun::mergeable)
        .containsExactly(true, false, false, false);
    assertReads();
    FakeRun merged = merge(batch);
    assertReads();
    assertThat(log.runs()).extracting(LoggedRun::run).containsExactly(runs.get(0), merged);
    assertThat(log.runs().get(1).bytes()).isEqualTo(merged.file.length);
    assertThat(runs).extracting(run -> run.discarded).containsExactly(false, true, true, true);
    assertThat(runs).extracting(run -> run.readers).containsOnly(0);
    assertThat(log.runs().get(1).followsPrevious()).isTrue();
    merge(log.takeForMerge(List.of(runs.get(0), merged)));
    assertReads();
    log.expire();
  }

  @Test
  void doesNotMergeRunsThatAreNotConsecutive() throws SluiceException {
    push(0, 0, true, 1);
    final FakeRun first = spill();
    push(1, 0, true, 1);
    SpillBatch between = log.takeForSpill(1);
    push(2, 0, true, 1);
    final FakeRun last = spill();

    assertThat(log.takeForMerge(List.of(first, last))).isNull();
    assertThat(log.takeForMerge(List.of(last, first))).isNull();
    assertThat(log.takeForMerge(List.of(first, new FakeRun(new byte[0])))).isNull();
    FakeRun middle = complete(between);
    assertThat(log.runs()).extracting(LoggedRun::run).containsExactly(first, middle, last);
    MergeBatch batch = log.takeForMerge(List.of(first, middle));
    assertThat(log.takeForMerge(List.of(middle, last))).isNull();
    log.abortMerge(batch);
    assertReads();
    merge(log.takeForMerge(List.of(first, middle, last)));
    assertReads();
    log.expire();
  }

  @Test
  void discardsARunOfAShuffleThatWasRemovedDuringItsSpill() throws SluiceException {
    push(0, 0, true, 1);
    SpillBatch batch = log.takeForSpill(Long.MAX_VALUE);

    log.expire();

    FakeRun run = complete(batch);
    assertThat(run.discarded).isTrue();
    assertThat(run.readers).isZero();
    assertThat(totals.spillingBytes() + totals.storedBytes()).isZero();
  }

  @Test
  void discardsAMergeOfARemovedShuffle() throws SluiceException {
    push(0, 0, true, 1);
    final FakeRun first = spill();
    push(1, 0, true, 1);
    final FakeRun second = spill();
    MergeBatch batch = log.takeForMerge(List.of(first, second));

    log.expire();

    FakeRun merged = new FakeRun(new byte[10]);
    assertThat(log.completeMerge(batch, merged, new long[1])).isFalse();
    assertThat(merged.discarded).isTrue();
    assertThat(first.readers + second.readers).isZero();
    assertThat(totals.storedBytes()).isZero();
    assertThat(totals.partitions()).isZero();
  }

  @Test
  void discardsAMergeOfALostRun() throws SluiceException {
    push(0, 0, true, 1);
    final FakeRun first = spill();
    push(1, 0, true, 1);
    final FakeRun second = spill();
    MergeBatch batch = log.takeForMerge(List.of(first, second));

    log.lose(Set.of(first));

    FakeRun merged = new FakeRun(new byte[1000]);
    assertThat(log.completeMerge(batch, merged, new long[1])).isFalse();
    assertThat(merged.discarded).isTrue();
    assertThat(second.discarded).isFalse();
    assertThat(log.runs()).extracting(LoggedRun::run).containsExactly(second);
    assertThat(log.runs()).extracting(LoggedRun::mergeable).containsExactly(true);
    log.expire();
  }

  @Test
  void restoresRunsInTheirOrder() throws SluiceException {
    push(0, 0, false, 1, 2);
    push(1, 0, true, 2);
    final FakeRun first = spill();
    push(0, 1, true, 1);
    push(2, 0, true, 1, 3);
    final FakeRun second = spill();
    push(0, 1, true, 2);

    ShuffleLog later = newLog();
    restore(later, first, new RunOrder(EPOCH, 0));
    restore(later, second, new RunOrder(EPOCH, 2));

    OpenSnapshot found = later.snapshot(new int[] {1, 2, 3, 4}, true);
    assertThat(attempts(found, 0)).containsExactly(0, 2);
    // The last block of attempt 0 was in memory only.
    assertThat(attempts(found, 1)).containsExactly(1);
    assertThat(attempts(found, 2)).containsExactly(2);
    assertThat(found.partitions().get(3)).isNull();
    // As after a push of the blocks: each map task has a mark.
    assertThat(found.partitions().get(0).marks().all(SliceMarkSnapshot.MAX_MARKS))
        .extracting(OpenSnapshot.Mark::minMapIndex, OpenSnapshot.Mark::maxMapIndex)
        .containsExactly(tuple(0, 0), tuple(2, 2));
    assertThat(bytes(later, 1)).isEqualTo(expected.get(1).toByteArray());
    long length = found.partitions().get(1).length();
    assertThat(bytes(later, 2))
        .isEqualTo(Arrays.copyOf(expected.get(2).toByteArray(), (int) length));
    assertThat(later.storedBytes()).isEqualTo(first.file.length + second.file.length);
    assertThat(later.runs()).extracting(LoggedRun::followsPrevious).containsExactly(false, true);

    BlockBatch again = new BlockBatch(1);
    ByteBuf body = Unpooled.wrappedBuffer(BlockBytes.block(0, 0, 2, 0, false, new byte[5]));
    again.add(header(body));
    assertThat(later.append(body, 0, again).duplicateBlocks()).isEqualTo(1);
    later.expire();
    assertThat(first.discarded).isTrue();
    log.expire();
  }

  @Test
  void lostRunsMakeBytesLostAndAttemptsIncomplete() throws SluiceException {
    push(0, 0, false, 1);
    push(1, 0, true, 1, 2);
    final FakeRun kept = spill();
    push(0, 1, true, 1);
    push(2, 0, true, 1);
    final FakeRun lost = spill();
    push(3, 0, true, 1);
    final long lostStart = lengthOf(List.of(blocks(kept, 1)));
    final long lostLength = lengthOf(List.of(blocks(lost, 1)));

    assertThat(log.lose(Set.of(lost))).containsExactly(1);

    OpenSnapshot found = log.snapshot(new int[] {1, 2}, false);
    assertThat(attempts(found, 0)).as("memory is counted at once").containsExactly(3);
    assertThat(attempts(found, 1)).as("not touched").containsExactly(1);
    assertThat(found.partitions().get(0).lost())
        .containsExactly(new OpenSnapshot.Stretch(lostStart, lostLength));
    assertThat(found.partitions().get(1).lost()).isEmpty();
    assertThat(lost.discarded).isTrue();
    assertThatThrownBy(() -> log.read(List.of(new LogRange(1, lostStart - 1, 2))))
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("partition=1")
        .hasMessageContaining("lost")
        .extracting(e -> ((SluiceException) e).code())
        .isEqualTo(StatusCode.LOST);
    assertRead(log, 1, 0, lostStart);
    assertRead(log, 1, lostStart + lostLength, expected.get(1).size());

    log.recount(kept, 1, blocks(kept, 1));
    log.recount(lost, 1, blocks(lost, 1));
    assertThat(attempts(log.snapshot(new int[] {1}, false), 0)).containsExactly(1, 3);
    assertThat(log.lose(Set.of(lost))).isEmpty();
    log.expire();
  }

  @Test
  void keepsEveryByteInRandomSchedules() throws SluiceException {
    for (int step = 0; step < 3_000; step++) {
      switch (random.nextInt(6)) {
        case 0, 1, 2 ->
            push(
                step,
                0,
                true,
                random.ints(1 + random.nextInt(4), 0, 20).sorted().distinct().toArray());
        case 3 -> {
          SpillBatch batch = log.takeForSpill(1 + random.nextInt(4000));
          if (batch != null && random.nextInt(5) == 0) {
            log.abortSpill(batch);
          } else if (batch != null) {
            complete(batch);
          }
        }
        case 4 -> {
          List<StoredRun> all = log.runs().stream().map(LoggedRun::run).toList();
          if (all.size() > 6) {
            int first = random.nextInt(all.size() - 5);
            MergeBatch batch = log.takeForMerge(all.subList(first, first + 2 + random.nextInt(4)));
            if (batch != null && random.nextInt(5) == 0) {
              log.abortMerge(batch);
            } else if (batch != null) {
              merge(batch);
            }
          }
        }
        default -> {
          if (!expected.isEmpty()) {
            int partition = List.copyOf(expected.keySet()).get(random.nextInt(expected.size()));
            int length = expected.get(partition).size();
            int from = random.nextInt(length);
            assertRead(log, partition, from, from + 1 + random.nextInt(length - from));
          }
        }
      }
    }
    assertReads();
    List<StoredRun> runs = log.runs().stream().map(LoggedRun::run).toList();
    log.expire();
    assertThat(runs).extracting(run -> ((FakeRun) run).discarded).containsOnly(true);
    assertThat(runs).extracting(run -> ((FakeRun) run).readers).containsOnly(0);
    assertThat(totals.bufferedBytes() + totals.spillingBytes() + totals.storedBytes()).isZero();
  }

  @Test
  void keepsEveryByteBesideAdoptedRunsInRandomSchedules() throws SluiceException {
    List<FakeRun> adopted = new ArrayList<>();
    for (int step = 0; step < 500; step++) {
      FakeRun run = new FakeRun(blocksOfAnotherServer(step));
      assertThat(log.adoptRun(run, new RunOrder(1, step))).isTrue();
      adopted.add(run);
      for (int partition = 0; partition < 20; partition++) {
        pushAndSpillSome(1_000_000 + 100 * step + partition);
        if (!blocks(run, partition).isEmpty()) {
          log.adoptExtent(run, extent(run, partition), blocks(run, partition));
          int from = (int) fileOffset(run, partition);
          expected
              .computeIfAbsent(partition, unused -> new ByteArrayOutputStream())
              .write(run.file, from, (int) lengthOf(List.of(blocks(run, partition))));
        }
      }
      mergeSome();
    }
    assertReads();
    log.expire();
    assertThat(adopted).extracting(run -> run.discarded).containsOnly(true);
    assertThat(log.adoptRun(new FakeRun(new byte[0]), new RunOrder(1, 1))).isFalse();
    assertThat(totals.bufferedBytes() + totals.spillingBytes() + totals.storedBytes()).isZero();
  }

  private void pushAndSpillSome(int attempt) throws SluiceException {
    if (random.nextInt(3) == 0) {
      push(attempt, 0, true, random.ints(4, 0, 20).sorted().distinct().toArray());
    }
    if (random.nextInt(10) == 0) {
      SpillBatch batch = log.takeForSpill(1 + random.nextInt(4000));
      if (batch != null) {
        complete(batch);
      }
    }
  }

  private void mergeSome() {
    List<StoredRun> all = log.runs().stream().map(LoggedRun::run).toList();
    for (int first = 0; first + 1 < all.size(); first++) {
      MergeBatch batch = log.takeForMerge(all.subList(first, first + 2));
      if (batch != null) {
        merge(batch);
        return;
      }
    }
  }

  private byte[] blocksOfAnotherServer(int attempt) {
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    for (int partition : random.ints(6, 0, 20).sorted().distinct().toArray()) {
      for (int block = 0; block <= random.nextInt(3); block++) {
        file.writeBytes(
            BlockBytes.block(
                attempt, attempt, partition, block, false, BlockBytes.payload(random, 50)));
      }
    }
    return file.toByteArray();
  }

  /** Pushes one block of an attempt to each of some partitions, in one frame. */
  private void push(int attempt, int sequence, boolean last, int... partitions)
      throws SluiceException {
    ByteBuf body = Unpooled.buffer();
    BlockBatch batch = new BlockBatch(1);
    for (int partition : partitions) {
      byte[] block =
          BlockBytes.block(
              attempt,
              attempt,
              partition,
              sequence,
              last,
              BlockBytes.payload(random, random.nextInt(200)));
      batch.add(header(Unpooled.wrappedBuffer(block)));
      body.writeBytes(block);
      expected.computeIfAbsent(partition, unused -> new ByteArrayOutputStream()).writeBytes(block);
    }
    body.capacity(body.writerIndex());
    log.append(body, body.capacity(), batch);
  }

  private static BlockHeader header(ByteBuf block) throws SluiceException {
    return BlockHeader.read(block, 0, block.writerIndex());
  }

  private FakeRun spill() {
    return complete(log.takeForSpill(Long.MAX_VALUE));
  }

  private FakeRun complete(SpillBatch batch) {
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    long[] offsets = new long[batch.parts().size()];
    for (int i = 0; i < offsets.length; i++) {
      SpillBatch.Part part = batch.parts().get(i);
      offsets[i] = file.size();
      for (int at = 0; at < part.bufferCount(); at++) {
        file.writeBytes(bytes(part.buffer(at)));
      }
      assertThat(file.size() - offsets[i]).isEqualTo(part.length());
    }
    FakeRun run = new FakeRun(file.toByteArray());
    log.completeSpill(batch, run, new RunOrder(EPOCH, batch.firstArrival()), offsets);
    return run;
  }

  private FakeRun merge(MergeBatch batch) {
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    long[] offsets = new long[batch.partCount()];
    for (int part = 0; part < offsets.length; part++) {
      offsets[part] = file.size();
      for (int piece = batch.firstPiece(part); piece < batch.firstPiece(part + 1); piece++) {
        file.write(
            ((FakeRun) batch.inputs().get(batch.input(piece))).file,
            (int) batch.fileOffset(piece),
            (int) batch.pieceLength(piece));
      }
      assertThat(file.size() - offsets[part]).isEqualTo(batch.length(part));
    }
    FakeRun merged = new FakeRun(file.toByteArray());
    assertThat(log.completeMerge(batch, merged, offsets)).isTrue();
    return merged;
  }

  /** Restores a run from its bytes instead of a footer. */
  private static void restore(ShuffleLog log, FakeRun run, RunOrder order) throws SluiceException {
    log.restoreRun(run, order);
    for (int partition = 0; partition < 20; partition++) {
      List<RunBlock> blocks = blocks(run, partition);
      if (!blocks.isEmpty()) {
        log.restoreExtent(run, extent(run, partition), blocks);
      }
    }
  }

  private static RunExtent extent(FakeRun run, int partition) throws SluiceException {
    List<RunBlock> blocks = blocks(run, partition);
    List<RunMark> marks =
        List.of(
            new RunMark(
                0,
                lengthOf(List.of(blocks)),
                blocks.stream().mapToInt(RunBlock::mapIndex).min().orElseThrow(),
                blocks.stream().mapToInt(RunBlock::mapIndex).max().orElseThrow()));
    return new RunExtent(
        partition,
        fileOffset(run, partition),
        lengthOf(List.of(blocks)),
        12345,
        0,
        0,
        blocks.size(),
        0,
        0,
        marks);
  }

  private static List<RunBlock> blocks(FakeRun run, int partition) throws SluiceException {
    List<RunBlock> blocks = new ArrayList<>();
    ByteBuf file = Unpooled.wrappedBuffer(run.file);
    for (int at = 0; at < run.file.length; ) {
      BlockHeader block = BlockHeader.read(file, at, run.file.length);
      if (block.partition() == partition) {
        blocks.add(RunBlock.of(block));
      }
      at += block.blockLength();
    }
    return blocks;
  }

  private static long fileOffset(FakeRun run, int partition) throws SluiceException {
    ByteBuf file = Unpooled.wrappedBuffer(run.file);
    int at = 0;
    BlockHeader block = BlockHeader.read(file, at, run.file.length);
    while (block.partition() != partition) {
      at += block.blockLength();
      block = BlockHeader.read(file, at, run.file.length);
    }
    return at;
  }

  private static long lengthOf(List<List<RunBlock>> lists) {
    return lists.stream().flatMap(List::stream).mapToLong(RunBlock::length).sum();
  }

  private static List<Integer> attempts(OpenSnapshot found, int position) {
    List<Integer> attempts = new ArrayList<>();
    found
        .attemptsOf(found.partitions().get(position).completeSet())
        .forEach(attempt -> attempts.add((int) attempt));
    return attempts;
  }

  private void assertReads() throws SluiceException {
    for (int partition : expected.keySet()) {
      assertThat(bytes(log, partition)).isEqualTo(expected.get(partition).toByteArray());
    }
  }

  private static byte[] bytes(ShuffleLog log, int partition) throws SluiceException {
    long length = log.snapshot(new int[] {partition}, false).partitions().get(0).length();
    return read(log, partition, 0, length);
  }

  private void assertRead(ShuffleLog log, int partition, long from, long to)
      throws SluiceException {
    assertThat(read(log, partition, from, to))
        .isEqualTo(Arrays.copyOfRange(expected.get(partition).toByteArray(), (int) from, (int) to));
  }

  private static byte[] read(ShuffleLog log, int partition, long from, long to)
      throws SluiceException {
    ByteArrayOutputStream found = new ByteArrayOutputStream();
    for (LogPiece piece : log.read(List.of(new LogRange(partition, from, to - from)))) {
      if (piece instanceof LogPiece.InFile file) {
        found.write(((FakeRun) file.run()).file, (int) file.position(), file.length());
      } else {
        found.writeBytes(bytes(((LogPiece.InMemory) piece).buffer()));
      }
      piece.release();
    }
    return found.toByteArray();
  }

  private static byte[] bytes(ByteBuf buffer) {
    byte[] bytes = new byte[buffer.readableBytes()];
    buffer.getBytes(buffer.readerIndex(), bytes);
    return bytes;
  }
}
