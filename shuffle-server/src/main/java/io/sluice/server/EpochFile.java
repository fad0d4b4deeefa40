package io.sluice.server;

import io.sluice.common.file.FileRights;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.util.List;
import java.util.Set;

/**
 * The epoch of the latest start of a server: one line with a decimal number, in the file {@code
 * epoch} of each base directory. The next start uses a larger epoch, even if the clock was set
 * back:
 *
 * <pre>epoch = max(now in ms since 1970, largest epoch stored in the directories + 1)</pre>
 *
 * Every usable directory stores a copy, so that the epoch survives the removal of a directory. The
 * file is synced, then becomes visible by rename.
 */
final class EpochFile {
  static final String NAME = "epoch";

  private EpochFile() {}

  /**
   * Returns the epoch of the latest start; 0 if there was none.
   *
   * @param directories usable base directories
   * @throws StartException if a file cannot be read or has no valid epoch
   */
  static long last(List<Path> directories) throws StartException {
    long last = 0;
    for (Path directory : directories) {
      last = Math.max(last, read(directory.resolve(NAME)));
    }
    return last;
  }

  /**
   * Begins an epoch and stores it.
   *
   * @param directories usable base directories, at least one
   * @param last result of {@link #last}
   * @param newestKnown largest epoch found in run files and catalogs of the directories
   * @throws StartException if a file cannot be written
   */
  static long begin(List<Path> directories, Clock clock, long last, long newestKnown)
      throws StartException {
    long epoch = Math.max(clock.millis(), Math.max(last, newestKnown) + 1);
    for (Path directory : directories) {
      write(directory.resolve(NAME), epoch);
    }
    return epoch;
  }

  private static long read(Path file) throws StartException {
    String text;
    try {
      text = Files.readString(file, StandardCharsets.US_ASCII).trim();
    } catch (NoSuchFileException e) {
      return 0;
    } catch (IOException e) {
      throw new StartException("cannot read " + file + ": " + e, e);
    }
    try {
      long epoch = Long.parseLong(text);
      if (epoch > 0 && epoch < Long.MAX_VALUE) {
        return epoch;
      }
    } catch (NumberFormatException e) {
      // Reported below, as are numbers that no server writes.
    }
    throw new StartException(
        file
            + ": invalid epoch: expected milliseconds since 1970, found "
            + (text.isEmpty()
                ? "an empty file"
                : "'" + text.substring(0, Math.min(40, text.length())) + "'")
            + "; check the server's clock, then remove the file");
  }

  private static void write(Path file, long epoch) throws StartException {
    Path fresh = file.resolveSibling(NAME + ".new");
    try {
      try (FileChannel channel =
          FileChannel.open(
              fresh,
              Set.of(
                  StandardOpenOption.CREATE,
                  StandardOpenOption.TRUNCATE_EXISTING,
                  StandardOpenOption.WRITE),
              FileRights.ofNewFile(fresh))) {
        ByteBuffer text = ByteBuffer.wrap((epoch + "\n").getBytes(StandardCharsets.US_ASCII));
        while (text.hasRemaining()) {
          channel.write(text);
        }
        channel.force(true);
      }
      Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new StartException("cannot write " + file + ": " + e, e);
    }
  }
}
