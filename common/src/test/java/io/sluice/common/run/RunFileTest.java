package io.sluice.common.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.common.block.BlockCodec;
import io.sluice.common.block.BlockFormat;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.StatusCode;
import io.sluice.common.run.RunFormatException.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.GatheringByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunFileTest {
  private static final RunHeader EXAMPLE =
      new RunHeader(
          new RunId(0x0011223344556677L, 0x8899aabbccddeeffL),
          new RunOrder(1_795_000_000_000L, 42),
          "app-20261121-0001",
          7);

  private static final List<RunId> REPLACED =
      List.of(
          new RunId(0x1111111111111111L, 0x2222222222222222L),
          new RunId(0x3333333333333333L, 0x4444444444444444L));

  @TempDir Path directory;

  @Test
  void writesTheGoldenBytes() throws IOException {
    byte[] golden;
    try (InputStream in = getClass().getResourceAsStream("/golden/run-v1.bin")) {
      golden = in.readAllBytes();
    }
    Path file = writeExample();
    assertThat(HexFormat.of().formatHex(Files.readAllBytes(file)))
        .isEqualTo(HexFormat.of().formatHex(golden));
    Path copy = Files.write(directory.resolve("golden"), golden);
    try (RunReader run = RunReader.open(copy)) {
      run.verify();
      assertThat(run.header()).isEqualTo(EXAMPLE);
      assertThat(run.replaced()).isEqualTo(REPLACED);
      assertThat(run.extents()).hasSize(2);
      RunExtent three = run.extents().get(0);
      assertThat(three.partition()).isEqualTo(3);
      assertThat(three.logicalStart()).isEqualTo(1000);
      assertThat(three.fileOffset()).isEqualTo(EXAMPLE.length());
      assertThat(three.marks()).containsExactly(new RunMark(1000, three.length(), 16, 17));
      assertThat(run.blocks(three))
          .containsExactly(
              new RunBlock(
                  0x0102030405060708L, 17, 2, 11 + BlockHeader.LENGTH, BlockHeader.FLAG_LAST),
              new RunBlock(99, 16, 0, 1 + BlockHeader.LENGTH, 0));
      assertThat(run.blocks(run.extents().get(1)))
          .containsExactly(new RunBlock(99, 16, 0, BlockHeader.LENGTH, BlockHeader.FLAG_LAST));
    }
  }

  @Test
  void readsBackRandomRuns() throws IOException {
    SplittableRandom random = new SplittableRandom(4711);
    for (int round = 0; round < 60; round++) {
      RunHeader header =
          new RunHeader(
              RunId.random(random::nextLong),
              new RunOrder(random.nextLong() & Long.MAX_VALUE, random.nextLong() & 0xffff),
              "a".repeat(1 + random.nextInt(256)),
              random.nextInt(1000));
      Map<Integer, List<BlockHeader>> expected = new TreeMap<>();
      Map<Integer, List<ByteBuf>> buffers = new TreeMap<>();
      int partitions = 1 + random.nextInt(40);
      for (int i = 0; i < partitions; i++) {
        int partition = random.nextInt(1 << 24);
        expected.put(partition, new ArrayList<>());
        buffers.put(partition, randomBuffers(random, partition, expected.get(partition)));
      }
      Path file = directory.resolve("run-" + round);
      write(file, header, buffers, 12345);
      try (RunReader run = RunReader.open(file)) {
        run.verify();
        assertThat(run.header()).isEqualTo(header);
        assertThat(run.replaced()).isEqualTo(REPLACED);
        assertThat(run.fileLength()).isEqualTo(Files.size(file));
        assertThat(run.extents().stream().map(RunExtent::partition).toList())
            .isEqualTo(List.copyOf(expected.keySet()));
        for (RunExtent extent : run.extents()) {
          List<BlockHeader> blocks = expected.get(extent.partition());
          assertThat(run.blocks(extent))
              .isEqualTo(
                  blocks.stream()
                      .map(
                          b ->
                              new RunBlock(
                                  b.mapAttempt(),
                                  b.mapIndex(),
                                  b.sequence(),
                                  b.blockLength(),
                                  b.flags()))
                      .toList());
          assertThat(extent.logicalStart()).isEqualTo(12345);
          assertThat(extent.minMapIndex())
              .isEqualTo(blocks.stream().mapToInt(BlockHeader::mapIndex).min().orElseThrow());
          assertThat(extent.maxMapIndex())
              .isEqualTo(blocks.stream().mapToInt(BlockHeader::mapIndex).max().orElseThrow());
        }
      }
    }
  }

  @Test
  void createsSliceMarksAtBlocksAboutEveryMebibyte() throws IOException {
    List<ByteBuf> buffers = new ArrayList<>();
    for (int map = 0; map < 10; map++) {
      buffers.add(block(map, map, 0, 0, BlockHeader.FLAG_LAST, new byte[600 << 10]));
    }
    Path file = directory.resolve("marks");
    write(file, EXAMPLE, Map.of(0, buffers), 0);
    try (RunReader run = RunReader.open(file)) {
      List<RunMark> marks = run.extents().get(0).marks();
      long block = (600 << 10) + BlockHeader.LENGTH;
      assertThat(marks).hasSize(5);
      assertThat(marks.get(1)).isEqualTo(new RunMark(2 * block, 2 * block, 2, 3));
    }
  }

  @Test
  void listsMoreBlocksThanItsWriterKeeps() throws IOException {
    int perPartition = 12_000;
    Map<Integer, List<ByteBuf>> buffers = new TreeMap<>();
    for (int partition = 0; partition < 4; partition++) {
      buffers.put(partition, new ArrayList<>());
      for (int map = 0; map < perPartition; map++) {
        buffers
            .get(partition)
            .add(block(map, map, partition, 0, BlockHeader.FLAG_LAST, new byte[map % 5]));
      }
    }
    Path file = directory.resolve("more-than-kept");
    write(file, EXAMPLE, buffers, 0);
    try (RunReader run = RunReader.open(file)) {
      run.verify();
      for (int partition = 0; partition < 4; partition++) {
        List<RunBlock> blocks = run.blocks(run.extents().get(partition));
        assertThat(blocks).hasSize(perPartition);
        for (int map = 0; map < perPartition; map++) {
          assertThat(blocks.get(map))
              .isEqualTo(
                  new RunBlock(map, map, 0, BlockHeader.LENGTH + map % 5, BlockHeader.FLAG_LAST));
        }
      }
    }
  }

  @Test
  void visitsMoreBlocksThanOneChunk() throws IOException {
    List<ByteBuf> buffers = new ArrayList<>();
    for (int map = 0; map < 10_000; map++) {
      buffers.add(block(map, map, 0, 0, BlockHeader.FLAG_LAST, new byte[map % 7]));
    }
    Path file = directory.resolve("many");
    write(file, EXAMPLE, Map.of(0, buffers), 0);
    try (RunReader run = RunReader.open(file)) {
      List<RunBlock> blocks = run.blocks(run.extents().get(0));
      assertThat(blocks).hasSize(10_000);
      for (int map = 0; map < 10_000; map++) {
        assertThat(blocks.get(map))
            .isEqualTo(
                new RunBlock(map, map, 0, BlockHeader.LENGTH + map % 7, BlockHeader.FLAG_LAST));
      }
      run.verify();
    }
    RunExtent extent;
    try (RunReader run = RunReader.open(file)) {
      extent = run.extents().get(0);
    }
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      setByte(channel, Math.toIntExact(extent.blockListOffset()) + 200_000, 0x55);
    }
    List<RunBlock> visited = new ArrayList<>();
    try (RunReader run = RunReader.open(file)) {
      assertThatThrownBy(() -> run.forEachBlock(extent, visited::add))
          .isInstanceOf(RunFormatException.class)
          .hasMessageContaining("block list");
    }
    assertThat(visited).isEmpty();
  }

  @Test
  void refusesEveryTruncation() throws IOException {
    Path file = writeExample();
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      for (long length = channel.size() - 1; length >= 0; length--) {
        channel.truncate(length);
        RunFormatException problem = damageOf(file);
        assertThat(problem.reason()).as("cut at %d", length).isEqualTo(Reason.TRUNCATED);
        assertThat(problem.code()).isEqualTo(StatusCode.STORAGE_FAILED);
        assertThat(problem).hasMessageContaining(file.toString());
      }
    }
  }

  @Test
  void refusesEveryFlippedBit() throws IOException {
    Path file = writeExample();
    byte[] whole = Files.readAllBytes(file);
    Set<Reason> seen = EnumSet.noneOf(Reason.class);
    // In place: a new file per bit takes a hundred times as long.
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      for (int at = 0; at < whole.length; at++) {
        for (int bit = 0; bit < 8; bit++) {
          setByte(channel, at, whole[at] ^ (1 << bit));
          RunFormatException problem = damageOf(file);
          seen.add(problem.reason());
          assertThat(problem.offset()).as("flipped at %d", at).isLessThanOrEqualTo(whole.length);
        }
        setByte(channel, at, whole[at]);
      }
    }
    assertThat(seen)
        .contains(Reason.BAD_MAGIC, Reason.BAD_VERSION, Reason.BAD_CHECKSUM, Reason.BAD_BLOCK);
  }

  private static void setByte(FileChannel channel, int at, int value) throws IOException {
    channel.write(ByteBuffer.wrap(new byte[] {(byte) value}), at);
  }

  @Test
  void namesTheFirstDamagedBlock() throws IOException {
    Path file = writeExample();
    byte[] bytes = Files.readAllBytes(file);
    int second = EXAMPLE.length() + BlockHeader.LENGTH + 11;
    bytes[second + BlockHeader.LENGTH] ^= 1;
    Files.write(file, bytes);
    RunFormatException problem = damageOf(file);
    assertThat(problem.reason()).isEqualTo(Reason.BAD_BLOCK);
    assertThat(problem.offset()).isEqualTo(second);
    assertThat(problem).hasMessageContaining("partition 3 attempt 99 map 16 sequence 0");
  }

  @Test
  void namesABlockThatIsNotTheListedOne() throws IOException {
    Path file = writeExample();
    byte[] hello = "hello world".getBytes(StandardCharsets.US_ASCII);
    ByteBuf other = block(0x0102030405060709L, 17, 3, 2, BlockHeader.FLAG_LAST, hello);
    byte[] bytes = Files.readAllBytes(file);
    other.getBytes(0, bytes, EXAMPLE.length(), other.writerIndex());
    Files.write(file, bytes);
    RunFormatException problem = damageOf(file);
    assertThat(problem.reason()).isEqualTo(Reason.MISMATCH);
    assertThat(problem.offset()).isEqualTo(EXAMPLE.length());
    assertThat(problem).hasMessageContaining("partition 3: listed", "found");
  }

  @Test
  void refusesTheTrailerOfAnotherRun() throws IOException {
    byte[] one = Files.readAllBytes(writeExample());
    RunHeader other =
        new RunHeader(new RunId(1, 2), EXAMPLE.order(), EXAMPLE.application(), EXAMPLE.shuffle());
    Path file = directory.resolve("other");
    write(file, other, exampleBuffers(), 1000);
    byte[] two = Files.readAllBytes(file);
    System.arraycopy(one, one.length - 64, two, two.length - 64, 64);
    Files.write(file, two);
    assertThat(damageOf(file).reason()).isEqualTo(Reason.MISMATCH);
  }

  @Test
  void refusesBytesAfterTheTrailer() throws IOException {
    Path file = writeExample();
    byte[] bytes = Files.readAllBytes(file);
    Files.write(file, java.util.Arrays.copyOf(bytes, bytes.length + 64));
    assertThat(damageOf(file).reason()).isEqualTo(Reason.TRUNCATED);
  }

  @Test
  void findsEveryDamagedBlock() throws IOException {
    Path file = writeExample();
    byte[] bytes = Files.readAllBytes(file);
    int first = EXAMPLE.length();
    int second = first + BlockHeader.LENGTH + 11;
    int third = second + BlockHeader.LENGTH + 1;
    bytes[first + BlockHeader.LENGTH] ^= 1;
    bytes[third + 5] ^= 1;
    Files.write(file, bytes);
    try (RunReader run = RunReader.open(file)) {
      List<DamagedBlock> damaged = new ArrayList<>();
      run.verify(damaged::add);

      assertThat(damaged).extracting(DamagedBlock::partition).containsExactly(3, 7);
      assertThat(damaged)
          .extracting(DamagedBlock::fileOffset)
          .containsExactly((long) first, (long) third);
      assertThat(damaged.get(0).listed().mapIndex()).isEqualTo(17);
      assertThat(damaged.get(0).length()).isEqualTo(BlockHeader.LENGTH + 11);
      assertThat(damaged.get(0).problem()).hasMessageContaining("offset=" + first);
      for (int at = first; at < first + BlockHeader.LENGTH + 11; at++) {
        assertThat(run.verifyBlock(3, at))
            .hasValueSatisfying(found -> assertThat(found.fileOffset()).isEqualTo(first));
      }
      assertThat(run.verifyBlock(3, second)).isEmpty();
      assertThat(run.verifyBlock(3, third - 1)).isEmpty();
      assertThat(run.verifyBlock(7, third)).isPresent();
      assertThat(run.verifyBlock(3, third)).as("of another partition").isEmpty();
      assertThat(run.verifyBlock(5, first)).as("no such partition").isEmpty();
      assertThat(run.verifyBlock(3, -1)).isEmpty();
      assertThat(run.verifyBlock(7, Files.size(file))).isEmpty();
    }
  }

  @Test
  void closesOnlyAChannelThatItOwns() throws IOException {
    Path file = writeExample();
    try (FileChannel channel = FileChannel.open(file)) {
      try (RunReader run = RunReader.borrow(channel, "borrowed")) {
        assertThat(run.file()).isEqualTo("borrowed");
      }
      assertThat(channel.isOpen()).isTrue();
      RunReader.open(channel, "owned").close();
      assertThat(channel.isOpen()).isFalse();
    }
    Files.write(file, new byte[1]);
    try (FileChannel channel = FileChannel.open(file)) {
      assertThatThrownBy(() -> RunReader.open(channel, "damaged"))
          .isInstanceOf(RunFormatException.class);
      assertThat(channel.isOpen()).isFalse();
    }
  }

  @Test
  void acceptsTheLongestNameAndTheMostReplacedRuns() throws IOException {
    RunHeader longest =
        new RunHeader(EXAMPLE.runId(), EXAMPLE.order(), "a".repeat(256), Integer.MAX_VALUE);
    List<RunId> replaced =
        IntStream.range(0, RunFormat.MAX_REPLACED).mapToObj(i -> new RunId(i, -i)).toList();
    Path file = directory.resolve("longest");
    try (FileChannel channel = create(file)) {
      RunWriter writer = new RunWriter(channel, longest, replaced);
      writer.writePartition(3, 0, List.of(block(1, 1, 3, 0, 0, new byte[1])));
      writer.finish();
    }
    try (RunReader run = RunReader.open(file)) {
      run.verify();
      assertThat(run.header()).isEqualTo(longest);
      assertThat(run.replaced()).isEqualTo(replaced);
    }
    assertThatThrownBy(
            () -> new RunHeader(EXAMPLE.runId(), EXAMPLE.order(), "a".repeat(257), 0).length())
        .isInstanceOf(IllegalArgumentException.class);
    List<RunId> more = new ArrayList<>(replaced);
    more.add(EXAMPLE.runId());
    try (FileChannel channel = create(file)) {
      assertThatThrownBy(() -> new RunWriter(channel, EXAMPLE, more))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("65537 replaced runs, maximum is 65536");
    }
  }

  @Test
  void writesRunIdsAs32Digits() {
    assertThat(new RunId(1, -2)).hasToString("0000000000000001fffffffffffffffe");
  }

  @Test
  void finishesShortWrites() throws IOException {
    Path file = directory.resolve("short");
    try (FileChannel channel = create(file)) {
      write(new ShortWrites(channel), EXAMPLE, exampleBuffers(), 1000);
    }
    assertThat(Files.readAllBytes(file)).isEqualTo(Files.readAllBytes(writeExample()));
  }

  @Test
  void refusesPartitionsOutOfOrderAndEmptyOnes() throws IOException {
    try (FileChannel channel = create(directory.resolve("order"))) {
      RunWriter writer = new RunWriter(channel, EXAMPLE);
      assertThatThrownBy(writer::finish).isInstanceOf(IllegalStateException.class);
      writer.writePartition(3, 0, List.of(block(1, 1, 3, 0, 0, new byte[1])));
      assertThatThrownBy(
              () -> writer.writePartition(3, 0, List.of(block(1, 1, 3, 0, 0, new byte[1]))))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> writer.writePartition(4, 0, List.of()))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  private Path writeExample() throws IOException {
    Path file = directory.resolve("example");
    write(file, EXAMPLE, exampleBuffers(), 1000);
    return file;
  }

  private static Map<Integer, List<ByteBuf>> exampleBuffers() {
    byte[] hello = "hello world".getBytes(StandardCharsets.US_ASCII);
    return new TreeMap<>(
        Map.of(
            3,
            List.of(
                block(0x0102030405060708L, 17, 3, 2, BlockHeader.FLAG_LAST, hello),
                block(99, 16, 3, 0, 0, new byte[] {'!'})),
            7,
            List.of(block(99, 16, 7, 0, BlockHeader.FLAG_LAST, new byte[0]))));
  }

  private static RunFormatException damageOf(Path file) {
    return catchThrowableOfType(
        RunFormatException.class,
        () -> {
          try (RunReader run = RunReader.open(file)) {
            run.verify();
          }
        });
  }

  private static void write(
      Path file, RunHeader header, Map<Integer, List<ByteBuf>> buffers, long logicalStart)
      throws IOException {
    try (FileChannel channel = create(file)) {
      long length = write(channel, header, buffers, logicalStart);
      assertThat(channel.size()).isEqualTo(length);
    }
  }

  private static long write(
      GatheringByteChannel channel,
      RunHeader header,
      Map<Integer, List<ByteBuf>> buffers,
      long logicalStart)
      throws IOException {
    RunWriter writer = new RunWriter(channel, header, REPLACED);
    long at = header.length();
    for (Map.Entry<Integer, List<ByteBuf>> entry : buffers.entrySet()) {
      assertThat(writer.writePartition(entry.getKey(), logicalStart, entry.getValue()))
          .isEqualTo(at);
      at += entry.getValue().stream().mapToLong(ByteBuf::readableBytes).sum();
    }
    return writer.finish();
  }

  private static FileChannel create(Path file) throws IOException {
    return FileChannel.open(
        file,
        StandardOpenOption.CREATE,
        StandardOpenOption.TRUNCATE_EXISTING,
        StandardOpenOption.WRITE);
  }

  private static List<ByteBuf> randomBuffers(
      SplittableRandom random, int partition, List<BlockHeader> headers) throws IOException {
    List<ByteBuf> buffers = new ArrayList<>();
    int count = 1 + random.nextInt(5);
    for (int i = 0; i < count; i++) {
      List<ByteBuf> blocks = new ArrayList<>();
      int blockCount = 1 + random.nextInt(4);
      for (int j = 0; j < blockCount; j++) {
        byte[] payload = new byte[1 + random.nextInt(3000)];
        random.nextBytes(payload);
        ByteBuf block =
            block(
                random.nextLong() & Long.MAX_VALUE,
                random.nextInt(1000),
                partition,
                random.nextInt(1000),
                random.nextInt(8) & ~BlockHeader.FLAG_CONTINUED,
                payload);
        headers.add(BlockHeader.read(block, 0, block.writerIndex()));
        blocks.add(block);
      }
      buffers.add(Unpooled.wrappedBuffer(blocks.toArray(new ByteBuf[0])));
    }
    return buffers;
  }

  private static ByteBuf block(
      long attempt, int mapIndex, int partition, int sequence, int flags, byte[] payload) {
    BlockHeader header =
        new BlockHeader(
            attempt,
            mapIndex,
            partition,
            sequence,
            1,
            payload.length,
            payload.length,
            BlockCodec.NONE,
            flags);
    ByteBuf buffer = Unpooled.buffer(header.blockLength());
    buffer.setBytes(BlockHeader.LENGTH, payload);
    BlockFormat.seal(buffer, 0, header);
    return buffer.writerIndex(header.blockLength());
  }

  /** Writes at most seven bytes per call, of the first non-empty buffer. */
  private record ShortWrites(FileChannel channel) implements GatheringByteChannel {
    @Override
    public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
      for (int i = offset; i < offset + length; i++) {
        if (sources[i].hasRemaining()) {
          return write(sources[i]);
        }
      }
      return 0;
    }

    @Override
    public long write(ByteBuffer[] sources) throws IOException {
      return write(sources, 0, sources.length);
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
      int limit = source.limit();
      source.limit(Math.min(limit, source.position() + 7));
      int written = channel.write(source);
      source.limit(limit);
      return written;
    }

    @Override
    public boolean isOpen() {
      return channel.isOpen();
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }
}
