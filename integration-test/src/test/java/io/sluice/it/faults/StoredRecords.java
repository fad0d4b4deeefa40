package io.sluice.it.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.common.block.BlockFormat;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.block.Receipt;
import io.sluice.common.run.RunBlock;
import io.sluice.common.run.RunExtent;
import io.sluice.common.run.RunHeader;
import io.sluice.common.run.RunReader;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Changes records in run files, as a faulty component of the shuffle does: the checksums of the
 * changed blocks are valid. The server that has the files must not run.
 */
public final class StoredRecords {
  private StoredRecords() {}

  /** A change of a block. */
  public interface Change {
    /**
     * Changes the payload in place.
     *
     * @param block header and payload, which begins at {@link BlockHeader#LENGTH}
     * @return number of records that the payload has after the change; 0 if the block cannot be
     *     changed, and is unchanged
     */
    int apply(BlockHeader header, byte[] block);
  }

  /**
   * Returns the run file of the latest shuffle.
   *
   * @param directory directory with all files of one or more servers
   * @param wanted chooses applications and shuffles
   */
  public static Path newestRun(Path directory, Predicate<RunHeader> wanted) throws IOException {
    Path newest = null;
    int shuffle = -1;
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".run")).toList()) {
        try (RunReader run = RunReader.open(file)) {
          if (wanted.test(run.header()) && run.header().shuffle() > shuffle) {
            shuffle = run.header().shuffle();
            newest = file;
          }
        }
      }
    }
    assertThat(newest).as("run file").isNotNull();
    return newest;
  }

  /** Changes the first block of a run that the change accepts. */
  public static void changeOneBlock(Path file, Change change) throws IOException {
    assertThat(findAndChange(file, change)).as("a block of %s is changed", file).isTrue();
    try (RunReader run = RunReader.open(file)) {
      run.verify();
    }
  }

  private static boolean findAndChange(Path file, Change change) throws IOException {
    try (RunReader run = RunReader.open(file);
        RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
      for (RunExtent extent : run.extents()) {
        long offset = extent.fileOffset();
        for (RunBlock block : run.blocks(extent)) {
          byte[] bytes = new byte[block.length()];
          open.seek(offset);
          open.readFully(bytes);
          if (isChanged(bytes, change)) {
            open.seek(offset);
            open.write(bytes);
            return true;
          }
          offset += block.length();
        }
      }
    }
    return false;
  }

  private static boolean isChanged(byte[] bytes, Change change) throws IOException {
    ByteBuf buffer = Unpooled.wrappedBuffer(bytes);
    BlockHeader found = BlockHeader.read(buffer, 0, bytes.length);
    Receipt receipt = found.isLast() ? Receipt.read(buffer, 0) : Receipt.NONE;
    int records = change.apply(found, bytes);
    if (records == 0) {
      return false;
    }
    BlockHeader changed =
        new BlockHeader(
            found.mapAttempt(),
            found.mapIndex(),
            found.partition(),
            found.sequence(),
            records,
            found.uncompressedLength(),
            found.payloadLength(),
            found.codec(),
            found.encoding(),
            found.flags());
    BlockFormat.seal(buffer, 0, changed, receipt);
    return true;
  }
}
