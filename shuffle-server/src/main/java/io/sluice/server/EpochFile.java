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
 * The epoch of the last life of a server, one decimal number on a line of its own in the file
 * {@code epoch} of each base directory. The next life takes a larger one, whatever the clock says:
 *
 * <pre>epoch = max(now in ms since 1970, largest epoch that the directories know + 1)</pre>
 *
 * Every usable directory keeps a copy, so that it survives a directory that is left out. The file
 * becomes visible by rename, after a sync.
 */
final class EpochFile {
  static final String NAME = "epoch";

  private EpochFile() {}

  /**
   * The epoch of the last life; 0 if there was none.
   *
   * @param directories usable base directories
   * @throws StartException a file holds something else
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
   * @param last as {@link #last} says
   * @param newestKnown the largest epoch that anything else in them names
   * @throws StartException a file cannot be written
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
      // Answered below, together with numbers that no server can have written.
    }
    throw new StartException(
        file
            + ": a number of milliseconds since 1970 expected, found "
            + (text.isEmpty()
                ? "an empty file"
                : "'" + text.substring(0, Math.min(40, text.length())) + "'")
            + "; remove the file if the server's clock is right");
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
