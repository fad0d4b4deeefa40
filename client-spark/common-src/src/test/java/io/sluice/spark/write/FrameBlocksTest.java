package io.sluice.spark.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.spark.engine.FrameFormat;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: every block has whole frames, and all blocks of a partition are its bytes. */
class FrameBlocksTest {
  private static final int BLOCK_BYTES = 1000;
  private static final int HEADER_BYTES = 4;

  /** A frame is its length, with the header, and as many bytes. */
  private static class Lengths implements FrameFormat {
    @Override
    public int headerBytes() {
      return HEADER_BYTES;
    }

    @Override
    public long frameBytes(ByteBuffer header) {
      return header.getInt(0);
    }

    @Override
    public InputStream open(InputStream stored) {
      return stored;
    }
  }

  private final CollectedOutput output = new CollectedOutput();

  private static byte[] frame(int bytes, Random random) {
    byte[] frame = new byte[HEADER_BYTES + bytes];
    random.nextBytes(frame);
    ByteBuffer.wrap(frame).putInt(frame.length);
    return frame;
  }

  private static int framesIn(byte[] block) {
    int frames = 0;
    for (int at = 0; at < block.length; frames++) {
      at += ByteBuffer.wrap(block).getInt(at);
      assertThat(at).isLessThanOrEqualTo(block.length);
    }
    return frames;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void dividesPartitionsBetweenFrames(long seed) throws IOException {
    Random random = new Random(seed);
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    List<byte[]> partitions = new ArrayList<>();
    for (int partition = 0; partition < 5; partition++) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      for (int frame = random.nextInt(40); frame >= 0; frame--) {
        bytes.write(frame(random.nextInt(random.nextInt(10) == 0 ? 5_000 : 300), random));
      }
      partitions.add(bytes.toByteArray());
      file.write(bytes.toByteArray());
    }

    InputStream data = new ByteArrayInputStream(file.toByteArray());
    FrameBlocks blocks = new FrameBlocks(new Lengths(), output, BLOCK_BYTES);
    for (int partition = 0; partition < 5; partition++) {
      blocks.add(partition, data, partitions.get(partition).length);
    }

    for (int partition = 0; partition < 5; partition++) {
      ByteArrayOutputStream found = new ByteArrayOutputStream();
      for (CollectedOutput.Block block : output.blocks.get(partition)) {
        assertThat(framesIn(block.bytes())).isEqualTo(block.records());
        assertThat(block.records() == 1 || block.bytes().length <= BLOCK_BYTES).isTrue();
        found.write(block.bytes());
      }
      assertThat(found.toByteArray()).isEqualTo(partitions.get(partition));
    }
  }

  @Test
  void opensEachPartitionOnItsOwn() throws IOException {
    byte[] frame = frame(20, new Random(1));
    byte[] stored = new byte[frame.length + 1];
    System.arraycopy(frame, 0, stored, 1, frame.length);
    FrameFormat format =
        new Lengths() {
          @Override
          public InputStream open(InputStream in) {
            return new FilterInputStream(in) {
              private boolean begun;

              @Override
              public int read(byte[] target, int offset, int length) throws IOException {
                if (!begun) {
                  begun = true;
                  assertThat(in.read()).as("first byte of a partition").isZero();
                }
                return in.read(target, offset, length);
              }
            };
          }
        };
    FrameBlocks blocks = new FrameBlocks(format, output, BLOCK_BYTES);
    blocks.add(3, new ByteArrayInputStream(stored), stored.length);
    blocks.add(4, new ByteArrayInputStream(stored), stored.length);

    assertThat(output.blocks.get(3).get(0).bytes()).isEqualTo(frame);
    assertThat(output.blocks.get(4).get(0).bytes()).isEqualTo(frame);
  }

  @Test
  void failsForTruncatedAndImpossibleFrames() {
    byte[] frame = frame(100, new Random(1));
    for (int length : new int[] {1, HEADER_BYTES, frame.length - 1}) {
      assertThatThrownBy(
              () ->
                  new FrameBlocks(new Lengths(), output, BLOCK_BYTES)
                      .add(7, new ByteArrayInputStream(frame, 0, length), length))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("partition=7");
      assertThatThrownBy(
              () ->
                  new FrameBlocks(new Lengths(), output, BLOCK_BYTES)
                      .add(7, new ByteArrayInputStream(frame, 0, length), frame.length))
          .as("the file is too short")
          .isInstanceOf(IOException.class);
    }
    byte[] impossible = {0, 0, 0, 3, 0};
    assertThatThrownBy(
            () ->
                new FrameBlocks(new Lengths(), output, BLOCK_BYTES)
                    .add(7, new ByteArrayInputStream(impossible), impossible.length))
        .hasMessageContaining("frameBytes=3");
    assertThat(output.blocks).isEmpty();
  }
}
