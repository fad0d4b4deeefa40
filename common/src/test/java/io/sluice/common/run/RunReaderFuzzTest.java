package io.sluice.common.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.fuzz.DecoderFuzz;
import io.sluice.common.run.RunFormatException.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunReaderFuzzTest {
  private static final int MARK_COUNT_AT = 16;
  private static final int LENGTH_AT = 32;
  private static final int LOGICAL_START_AT = 40;

  @TempDir Path directory;

  private static byte[] golden() throws IOException {
    try (InputStream in = RunReaderFuzzTest.class.getResourceAsStream("/golden/run-v1.bin")) {
      return in.readAllBytes();
    }
  }

  @Test
  void aRunIsRefusedOrConsistent() throws Exception {
    Path file = directory.resolve("run");
    DecoderFuzz.of(golden())
        .refusing(RunFormatException.class)
        .sealing(RunReaderFuzzTest::sealed)
        .run(
            input -> {
              Files.write(file, input);
              try (RunReader run = RunReader.open(file)) {
                for (RunExtent extent : run.extents()) {
                  assertConsistent(extent, run.fileLength());
                  run.forEachBlock(
                      extent,
                      block ->
                          assertThat(block.length()).isGreaterThanOrEqualTo(BlockHeader.LENGTH));
                }
                run.verify();
              }
            });
  }

  @Test
  void overflowingOffsetsAreRefused() throws Exception {
    byte[] input = golden();
    ByteBuffer run = ByteBuffer.wrap(input).order(ByteOrder.LITTLE_ENDIAN);
    int index = (int) run.getLong(input.length - RunFormat.TRAILER_LENGTH + 32);
    long length = run.getLong(index + LENGTH_AT);
    run.putLong(index + LOGICAL_START_AT, Long.MAX_VALUE - length + 1);
    run.putLong(index + RunFormat.INDEX_ENTRY_LENGTH, Long.MAX_VALUE - length + 1);
    assertRefused(input);
  }

  @Test
  void marksWithAnOverflowingSumAreRefused() throws Exception {
    byte[] right = golden();
    int index =
        (int)
            ByteBuffer.wrap(right)
                .order(ByteOrder.LITTLE_ENDIAN)
                .getLong(right.length - RunFormat.TRAILER_LENGTH + 32);
    int mark = index + RunFormat.INDEX_ENTRY_LENGTH;
    byte[] input = Arrays.copyOf(right, right.length + 2 * RunFormat.MARK_LENGTH);
    System.arraycopy(right, mark, input, mark + 2 * RunFormat.MARK_LENGTH, right.length - mark);
    ByteBuffer run = ByteBuffer.wrap(input).order(ByteOrder.LITTLE_ENDIAN);
    run.putInt(index + MARK_COUNT_AT, 3);
    long at = run.getLong(index + LOGICAL_START_AT);
    long length = run.getLong(index + LENGTH_AT);
    for (long part : new long[] {Long.MAX_VALUE, Long.MAX_VALUE, length + 2}) {
      run.putLong(mark, at).putLong(mark + 8, part);
      at += part;
      mark += RunFormat.MARK_LENGTH;
    }
    assertRefused(input);
  }

  private void assertRefused(byte[] input) throws IOException {
    Path file = Files.write(directory.resolve("run"), sealed(input));
    assertThatThrownBy(() -> RunReader.open(file).close())
        .isInstanceOfSatisfying(
            RunFormatException.class, e -> assertThat(e.reason()).isEqualTo(Reason.BAD_FIELD));
  }

  private static void assertConsistent(RunExtent extent, long fileLength) {
    assertThat(extent.fileEnd()).isBetween(extent.fileOffset(), fileLength);
    long at = extent.logicalStart();
    long end = at + extent.length();
    assertThat(end).isGreaterThan(at);
    for (RunMark mark : extent.marks()) {
      assertThat(mark.offset()).isEqualTo(at);
      assertThat(mark.length()).isBetween(1L, end - at);
      at += mark.length();
    }
    assertThat(at).isEqualTo(end);
  }

  /** Repairs the checksums of header, trailer and index, as far as they can be located. */
  private static byte[] sealed(byte[] input) {
    byte[] changed = input.clone();
    ByteBuffer run = ByteBuffer.wrap(changed).order(ByteOrder.LITTLE_ENDIAN);
    if (changed.length < RunFormat.HEADER_FIXED_LENGTH + RunFormat.TRAILER_LENGTH) {
      return changed;
    }
    int crcAt = RunFormat.HEADER_FIXED_LENGTH + run.getShort(RunFormat.APPLICATION_LENGTH_AT);
    if (crcAt > 0 && crcAt + Integer.BYTES <= changed.length) {
      run.putInt(crcAt, crc(run, 0, crcAt));
    }
    int trailer = changed.length - RunFormat.TRAILER_LENGTH;
    run.putLong(trailer + 40, changed.length);
    long index = run.getLong(trailer + 32);
    if (index >= 0 && index <= trailer) {
      run.putInt(trailer + 52, crc(run, (int) index, trailer - (int) index));
    }
    run.putInt(trailer + RunFormat.TRAILER_CRC_AT, crc(run, trailer, RunFormat.TRAILER_CRC_AT));
    return changed;
  }

  private static int crc(ByteBuffer run, int at, int length) {
    CRC32C crc = new CRC32C();
    crc.update(run.slice(at, length));
    return (int) crc.getValue();
  }
}
