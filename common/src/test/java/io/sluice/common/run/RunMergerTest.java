package io.sluice.common.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.common.block.BlockCodec;
import io.sluice.common.block.BlockFormat;
import io.sluice.common.block.BlockHeader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunMergerTest {
  private static final String APPLICATION = "app-1";
  private static final RunMerger.Checkpoint CONTINUE = bytes -> {};

  @TempDir Path directory;

  /** Expected bytes of each partition in logical order, of all runs written so far. */
  private final Map<Integer, ByteArrayOutputStream> model = new TreeMap<>();

  private int files;

  @Test
  void containsTheSameBytesAsItsInputs() throws IOException {
    SplittableRandom random = new SplittableRandom(20_261_121);
    for (int round = 0; round < 150; round++) {
      model.clear();
      int runCount = 1 + random.nextInt(8);
      int partitions = 1 + random.nextInt(30);
      int largest = 1 << random.nextInt(13);
      List<Path> paths = new ArrayList<>();
      for (int i = 0; i < runCount; i++) {
        paths.add(randomRun(random, i, partitions, largest));
      }
      ByteBuffer memory = ByteBuffer.allocateDirect(runCount * (1 + random.nextInt(1 << 12)));
      long kernelCopyFrom = random.nextBoolean() ? 1 : 1L << random.nextInt(20);
      Path merged = directory.resolve("merged-" + round);
      List<RunId> inputs = merge(paths, merged, memory, kernelCopyFrom);
      try (RunReader run = RunReader.open(merged)) {
        run.verify();
        assertThat(run.replaced()).isEqualTo(inputs);
        assertEqualsModel(run, merged);
        assertHasBlockListsOf(run, paths);
      }
    }
  }

  @Test
  void mergesMergedRuns() throws IOException {
    SplittableRandom random = new SplittableRandom(7);
    List<Path> paths = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      paths.add(randomRun(random, i, 10, 500));
    }
    Path first = directory.resolve("first");
    Path second = directory.resolve("second");
    List<RunId> ids = merge(paths.subList(0, 2), first, ByteBuffer.allocate(1 << 16), 1 << 20);
    merge(List.of(first, paths.get(2), paths.get(3)), second, ByteBuffer.allocate(1 << 16), 1);
    try (RunReader run = RunReader.open(second);
        RunReader inner = RunReader.open(first)) {
      run.verify();
      assertEqualsModel(run, second);
      // A crash may leave the first inputs, so they are listed too.
      assertThat(run.replaced()).hasSize(5).startsWith(inner.header().runId()).containsAll(ids);
    }
  }

  @Test
  void readsEachInputOnceWithAnyMemory() throws IOException {
    SplittableRandom random = new SplittableRandom(8);
    List<Path> paths = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      paths.add(randomRun(random, i, 40, 3_000));
    }
    for (int window : new int[] {64, 1000, 5_000, 1 << 20}) {
      Path merged = directory.resolve("merged-" + window);
      try (Opened inputs = new Opened(paths);
          FileChannel output = create(merged)) {
        long inputBytes = 0;
        for (RunReader input : inputs.runs) {
          inputBytes += input.indexOffset() - input.header().length();
        }
        RunMerger merger =
            new RunMerger(
                inputs.runs, ByteBuffer.allocateDirect(5 * window), 2_000, output, CONTINUE);
        RunMerger.Merged result = merger.merge(header(0), inputs.plan(), List.of());
        assertThat(result.bytesRead()).isEqualTo(inputBytes);
        assertThat(result.length()).isEqualTo(output.size());
      }
    }
  }

  @Test
  void joinsSmallMarksAndKeepsThemAtBlocks() throws IOException {
    List<Path> paths = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      paths.add(write(i, Map.of(5, List.of(block(i, 5, 0, new byte[300 << 10])))));
    }
    Path merged = directory.resolve("merged");
    merge(paths, merged, ByteBuffer.allocate(1 << 20), 1 << 20);
    try (RunReader run = RunReader.open(merged)) {
      long block = (300 << 10) + BlockHeader.LENGTH;
      assertThat(run.extents().get(0).marks())
          .containsExactly(
              new RunMark(0, 4 * block, 0, 3),
              new RunMark(4 * block, 4 * block, 4, 7),
              new RunMark(8 * block, block, 8, 8));
    }
  }

  @Test
  void joinsMarksUpToTwoMebibytes() {
    int mebibyte = RunFormat.MARK_BYTES;
    MergedMarks marks = new MergedMarks(100);
    marks.add(new RunMark(0, 1, 5, 6));
    marks.add(new RunMark(1, 2L * mebibyte, 3, 4));
    marks.add(new RunMark(0, 1, 7, 9));
    marks.add(new RunMark(1, 2L * mebibyte - 1, 2, 8));
    marks.add(new RunMark(0, 10, 1, 1));
    assertThat(marks.finish())
        .containsExactly(
            new RunMark(100, 1, 5, 6),
            new RunMark(101, 2L * mebibyte, 3, 4),
            new RunMark(101 + 2L * mebibyte, 2L * mebibyte, 2, 9),
            new RunMark(101 + 4L * mebibyte, 10, 1, 1));
    assertThat(new MergedMarks(0).finish()).isEmpty();
  }

  @Test
  void namesTheInputWhoseBlockListIsDamaged() throws IOException {
    SplittableRandom random = new SplittableRandom(9);
    List<Path> paths = List.of(randomRun(random, 0, 9, 99), randomRun(random, 1, 9, 99));
    try (FileChannel channel = FileChannel.open(paths.get(1), StandardOpenOption.WRITE);
        RunReader run = RunReader.open(paths.get(1))) {
      channel.write(ByteBuffer.wrap(new byte[] {0x55}), run.blockListsOffset() + 20);
    }
    assertThatThrownBy(
            () -> merge(paths, directory.resolve("merged"), ByteBuffer.allocate(2_000), 1 << 20))
        .isInstanceOfSatisfying(MergeInputException.class, e -> assertThat(e.input()).isEqualTo(1))
        .hasMessageContaining(paths.get(1).toString())
        .hasMessageContaining("block list");
  }

  @Test
  void namesTheTruncatedInput() throws IOException {
    SplittableRandom random = new SplittableRandom(10);
    List<Path> paths = List.of(randomRun(random, 0, 9, 99), randomRun(random, 1, 9, 99));
    for (long kernelCopyFrom : new long[] {1, 1 << 20}) {
      try (Opened inputs = new Opened(paths);
          FileChannel cut = FileChannel.open(paths.get(0), StandardOpenOption.WRITE);
          FileChannel output = create(directory.resolve("merged-" + kernelCopyFrom))) {
        cut.truncate(60);
        RunMerger merger =
            new RunMerger(inputs.runs, ByteBuffer.allocate(100), kernelCopyFrom, output, CONTINUE);
        assertThatThrownBy(() -> merger.merge(header(0), inputs.plan(), List.of()))
            .isInstanceOfSatisfying(
                MergeInputException.class, e -> assertThat(e.input()).isEqualTo(0));
      }
      paths = List.of(randomRun(random, 0, 9, 99), paths.get(1));
    }
  }

  @Test
  void refusesPlansThatDoNotMatchTheRuns() throws IOException {
    SplittableRandom random = new SplittableRandom(11);
    List<Path> paths = List.of(randomRun(random, 0, 9, 99), randomRun(random, 1, 9, 99));
    try (Opened inputs = new Opened(paths)) {
      RunMergePlan right = inputs.plan();
      RunMergePlan oneLess = new ChangedPlan(right, right.partCount() - 1, 0, 0);
      RunMergePlan moved = new ChangedPlan(right, right.partCount(), 1, 0);
      RunMergePlan longer = new ChangedPlan(right, right.partCount(), 0, 1);
      List<RunReader> swapped = List.of(inputs.runs.get(1), inputs.runs.get(0));
      for (RunMergePlan wrong : List.of(oneLess, moved, longer, RunMergePlan.ofWhole(swapped))) {
        try (FileChannel output = create(directory.resolve("wrong-" + files++))) {
          RunMerger merger =
              new RunMerger(inputs.runs, ByteBuffer.allocate(100), 1, output, CONTINUE);
          assertThatThrownBy(() -> merger.merge(header(0), wrong, List.of()))
              .isInstanceOf(IllegalArgumentException.class);
          assertThat(output.size()).isZero();
        }
      }
    }
  }

  @Test
  void anyCheckpointCanAbortTheMerge() throws IOException {
    SplittableRandom random = new SplittableRandom(12);
    List<Path> paths = List.of(randomRun(random, 0, 9, 999), randomRun(random, 1, 9, 999));
    int checkpoints = 0;
    boolean ended = true;
    while (ended) {
      int endAt = checkpoints++;
      int[] seen = {0};
      try (Opened inputs = new Opened(paths);
          FileChannel output = create(directory.resolve("ended-" + files++))) {
        RunMerger merger =
            new RunMerger(
                inputs.runs,
                ByteBuffer.allocate(1000),
                1 << 20,
                output,
                bytes -> {
                  if (seen[0]++ == endAt) {
                    throw new IOException("ended");
                  }
                });
        try {
          merger.merge(header(0), inputs.plan(), List.of());
          ended = false;
        } catch (IOException e) {
          assertThat(e).hasMessage("ended");
        }
      }
    }
    assertThat(checkpoints).isGreaterThan(5);
  }

  private void assertEqualsModel(RunReader run, Path file) throws IOException {
    assertThat(run.extents().stream().map(RunExtent::partition).toList())
        .isEqualTo(List.copyOf(model.keySet()));
    try (FileChannel channel = FileChannel.open(file)) {
      for (RunExtent extent : run.extents()) {
        byte[] expected = model.get(extent.partition()).toByteArray();
        ByteBuffer found = ByteBuffer.allocate(Math.toIntExact(extent.length()));
        while (found.hasRemaining()
            && channel.read(found, extent.fileOffset() + found.position()) >= 0) {
          // Read until the buffer is full.
        }
        assertThat(found.array()).isEqualTo(expected);
      }
    }
  }

  private static void assertHasBlockListsOf(RunReader merged, List<Path> paths) throws IOException {
    Map<Integer, List<RunBlock>> expected = new TreeMap<>();
    for (Path path : paths) {
      try (RunReader run = RunReader.open(path)) {
        for (RunExtent extent : run.extents()) {
          expected
              .computeIfAbsent(extent.partition(), unused -> new ArrayList<>())
              .addAll(run.blocks(extent));
        }
      }
    }
    for (RunExtent extent : merged.extents()) {
      List<RunBlock> blocks = expected.get(extent.partition());
      assertThat(merged.blocks(extent)).isEqualTo(blocks);
      assertThat(extent.minMapIndex())
          .isEqualTo(blocks.stream().mapToInt(RunBlock::mapIndex).min().orElseThrow());
      assertThat(extent.maxMapIndex())
          .isEqualTo(blocks.stream().mapToInt(RunBlock::mapIndex).max().orElseThrow());
      assertThat(extent.logicalStart()).isZero();
    }
  }

  /** Merges runs and returns the runs that the output replaces. */
  private List<RunId> merge(List<Path> paths, Path merged, ByteBuffer memory, long kernelCopyFrom)
      throws IOException {
    try (Opened inputs = new Opened(paths);
        FileChannel output = create(merged)) {
      List<RunId> replaced = RunMerger.replacedBy(inputs.runs);
      RunMerger.Merged result =
          new RunMerger(inputs.runs, memory, kernelCopyFrom, output, CONTINUE)
              .merge(header(100 + files++), inputs.plan(), replaced);
      assertThat(output.size()).isEqualTo(result.length());
      return replaced;
    }
  }

  private Path randomRun(SplittableRandom random, int number, int partitions, int largest)
      throws IOException {
    Map<Integer, List<ByteBuf>> blocks = new TreeMap<>();
    int count = 1 + random.nextInt(partitions);
    for (int i = 0; i < count; i++) {
      int partition = random.nextInt(partitions);
      List<ByteBuf> list = blocks.computeIfAbsent(partition, unused -> new ArrayList<>());
      byte[] payload = new byte[1 + random.nextInt(largest)];
      random.nextBytes(payload);
      list.add(block(number * 10 + random.nextInt(10), partition, list.size(), payload));
    }
    return write(number, blocks);
  }

  private Path write(int number, Map<Integer, List<ByteBuf>> blocks) throws IOException {
    Path path = directory.resolve("run-" + files++);
    try (FileChannel channel = create(path)) {
      RunWriter writer = new RunWriter(channel, header(number));
      for (Map.Entry<Integer, List<ByteBuf>> entry : blocks.entrySet()) {
        ByteArrayOutputStream partition =
            model.computeIfAbsent(entry.getKey(), unused -> new ByteArrayOutputStream());
        writer.writePartition(entry.getKey(), partition.size(), entry.getValue());
        for (ByteBuf block : entry.getValue()) {
          block.getBytes(block.readerIndex(), partition, block.readableBytes());
        }
      }
      writer.finish();
    }
    return path;
  }

  private static RunHeader header(int number) {
    return new RunHeader(new RunId(4711, number), new RunOrder(1, number), APPLICATION, 3);
  }

  private static ByteBuf block(int map, int partition, int sequence, byte[] payload) {
    BlockHeader header =
        new BlockHeader(
            map, map, partition, sequence, 1, payload.length, payload.length, BlockCodec.NONE, 0);
    ByteBuf buffer = Unpooled.buffer(header.blockLength());
    buffer.setBytes(BlockHeader.LENGTH, payload);
    BlockFormat.seal(buffer, 0, header);
    return buffer.writerIndex(header.blockLength());
  }

  private static FileChannel create(Path file) throws IOException {
    return FileChannel.open(
        file,
        StandardOpenOption.CREATE,
        StandardOpenOption.TRUNCATE_EXISTING,
        StandardOpenOption.WRITE,
        StandardOpenOption.READ);
  }

  private record ChangedPlan(RunMergePlan plan, int partCount, int moveBy, int lengthenBy)
      implements RunMergePlan {
    @Override
    public int partition(int part) {
      return plan.partition(part);
    }

    @Override
    public long logicalStart(int part) {
      return plan.logicalStart(part);
    }

    @Override
    public int firstPiece(int part) {
      return plan.firstPiece(part);
    }

    @Override
    public int input(int piece) {
      return plan.input(piece);
    }

    @Override
    public long fileOffset(int piece) {
      return plan.fileOffset(piece) + moveBy;
    }

    @Override
    public long pieceLength(int piece) {
      return plan.pieceLength(piece) + lengthenBy;
    }
  }

  private static final class Opened implements AutoCloseable {
    final List<RunReader> runs = new ArrayList<>();

    Opened(List<Path> paths) throws IOException {
      for (Path path : paths) {
        runs.add(RunReader.open(path));
      }
    }

    RunMergePlan plan() {
      return RunMergePlan.ofWhole(runs);
    }

    @Override
    public void close() {
      for (RunReader run : runs) {
        try {
          run.close();
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }
}
