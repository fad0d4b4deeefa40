package io.sluice.client.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sluice.common.block.BlockCodec;
import io.sluice.common.block.BlockFormat;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.test.TestEffort;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalOutputFileTest {
  @TempDir Path directory;

  private static byte[] block(int partition, int sequence, byte[] payload) {
    ByteBuf buffer = Unpooled.buffer(BlockHeader.LENGTH + payload.length);
    buffer.writerIndex(BlockHeader.LENGTH).writeBytes(payload);
    BlockFormat.seal(
        buffer,
        0,
        new BlockHeader(
            9,
            3,
            partition,
            sequence,
            1,
            payload.length,
            payload.length,
            BlockCodec.NONE,
            payload.length == 0 ? BlockHeader.FLAG_LAST : 0));
    return ByteBufUtil.getBytes(buffer);
  }

  private static byte[] noise(Random random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(Path::getFileName).sorted().toList();
    }
  }

  /**
   * Frames of random blocks, compared with a model that stores the bytes of each partition in
   * order.
   */
  @Test
  void sortsBlocksByPartitionInTheOrderOfArrival() throws Exception {
    for (int seed = 0; seed < TestEffort.times(20); seed++) {
      Random random = new Random(seed);
      int partitions = 1 + random.nextInt(seed % 3 == 0 ? 3 : 400);
      int largest = seed % 5 == 0 ? 150_000 : 500;
      boolean ascending = seed % 4 == 0;
      Map<Integer, ByteArrayOutputStream> model = new TreeMap<>();
      Path target = directory.resolve("target-" + seed);
      try (LocalOutputFile file = new LocalOutputFile(directory.resolve("temporary"), partitions)) {
        int lowest = 0;
        for (int frame = random.nextInt(30); frame > 0; frame--) {
          ByteBuf body = Unpooled.directBuffer();
          body.writeZero(random.nextInt(5)).readerIndex(body.writerIndex());
          TreeSet<Integer> chosen = new TreeSet<>();
          for (int n = 1 + random.nextInt(20); n > 0; n--) {
            chosen.add(
                ascending
                    ? lowest + random.nextInt(partitions - lowest)
                    : random.nextInt(partitions));
          }
          for (int partition : chosen) {
            for (int n = 1 + random.nextInt(3); n > 0; n--) {
              byte[] block = block(partition, n, noise(random, random.nextInt(largest)));
              body.writeBytes(block);
              model.computeIfAbsent(partition, p -> new ByteArrayOutputStream()).writeBytes(block);
            }
          }
          lowest = chosen.last();
          int before = body.readerIndex();
          file.accept(body);
          assertThat(body.readerIndex()).isEqualTo(before);
          assertThat(body.refCnt()).isEqualTo(1);
          body.release();
        }
        long[] lengths = file.finish(target);

        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        for (int partition = 0; partition < partitions; partition++) {
          ByteArrayOutputStream bytes = model.getOrDefault(partition, new ByteArrayOutputStream());
          assertThat(lengths[partition]).as("partition %d", partition).isEqualTo(bytes.size());
          expected.writeBytes(bytes.toByteArray());
        }
        assertThat(file.bytes()).isEqualTo(expected.size());
        if (expected.size() == 0) {
          assertThat(target).doesNotExist();
        } else {
          assertThat(Files.readAllBytes(target)).isEqualTo(expected.toByteArray());
        }
        Files.deleteIfExists(target);
      }
      assertThat(files()).isEmpty();
    }
  }

  @Test
  void createsNoFileWithoutBlocks() throws Exception {
    try (LocalOutputFile file = new LocalOutputFile(directory.resolve("nowhere/temporary"), 3)) {
      assertThat(file.finish(directory.resolve("target"))).containsOnly(0).hasSize(3);
    }
    assertThat(files()).isEmpty();
  }

  /** With an external shuffle service that deletes files, Spark creates the file before. */
  @Test
  void truncatesAnExistingFile() throws Exception {
    Path temporary = Files.write(directory.resolve("temporary"), new byte[100]);
    byte[] block = block(2, 0, new byte[10]);
    Path target = directory.resolve("target");
    try (LocalOutputFile file = new LocalOutputFile(temporary, 3)) {
      file.accept(Unpooled.wrappedBuffer(block));
      assertThat(file.finish(target)).containsExactly(0, 0, block.length);
    }
    assertThat(Files.readAllBytes(target)).isEqualTo(block);
    assertThat(files()).containsExactly(target.getFileName());
  }

  @Test
  void deletesItsTemporaryFileOnClose() throws Exception {
    LocalOutputFile file = new LocalOutputFile(directory.resolve("temporary"), 3);
    file.accept(Unpooled.wrappedBuffer(block(2, 0, new byte[10])));
    assertThat(files()).hasSize(1);
    file.close();
    file.close();
    assertThat(files()).isEmpty();
    assertThatThrownBy(() -> file.finish(directory.resolve("target")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("ENDED");
  }

  @Test
  void reportsInOneLineThatTheFileCannotBeWritten() throws Exception {
    Path temporary = directory.resolve("missing/temporary");
    try (LocalOutputFile file = new LocalOutputFile(temporary, 3)) {
      assertThatThrownBy(() -> file.accept(Unpooled.wrappedBuffer(block(2, 0, new byte[10]))))
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith("local output cannot be written file=" + temporary)
          .hasMessageContaining("offset=0 bytes=" + (BlockHeader.LENGTH + 10))
          .hasMessageNotContaining("\n");
      assertThatThrownBy(() -> file.accept(Unpooled.wrappedBuffer(block(2, 0, new byte[10]))))
          .hasMessageContaining("FAILED");
    }
  }

  /** A full disk, simulated by {@code /dev/full}, at writing and at sorting. */
  @Test
  void reportsInOneLineThatTheDiskIsFull() throws Exception {
    Path full = Path.of("/dev/full");
    assumeTrue(Files.isWritable(full), "this machine has no /dev/full");
    try (LocalOutputFile file = new LocalOutputFile(directory.resolve("temporary"), 3)) {
      file.accept(Unpooled.wrappedBuffer(block(2, 0, new byte[10])));
      file.accept(Unpooled.wrappedBuffer(block(1, 0, new byte[10])));
      Path link = Files.createSymbolicLink(directory.resolve("target"), full);

      assertThatThrownBy(() -> file.finish(link))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("local output cannot be sorted by partition file=" + link)
          .hasMessageContaining("No space left on device")
          .hasMessageNotContaining("\n");
    }
    assertThat(files()).isEmpty();
  }

  @Test
  void refusesAPartitionThatTheOutputDoesNotHave() throws Exception {
    try (LocalOutputFile file = new LocalOutputFile(directory.resolve("temporary"), 3)) {
      assertThatThrownBy(() -> file.accept(Unpooled.wrappedBuffer(block(3, 0, new byte[1]))))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("partition=3");
    }
  }
}
