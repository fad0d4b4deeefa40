package io.sluice.server.remote;

import io.sluice.server.remote.spi.RemoteFileSystem;
import io.sluice.server.remote.spi.RemoteInput;
import io.sluice.server.remote.spi.RemoteOutput;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.Optional;

/**
 * Marks of adopted directories on the remote tier, {@code BASE/=adopted/DIRECTORY}. A server that
 * returns finds in its mark which server serves its files. Thread-safe; every call waits for the
 * file system.
 */
final class AdoptionMarks {
  /** Directory of the marks: application ids do not contain its first character. */
  static final String DIRECTORY = "=adopted";

  private final RemoteFileSystem files;

  /**
   * @param files borrows
   */
  AdoptionMarks(RemoteFileSystem files) {
    this.files = files;
  }

  /** The directory of the server that adopted a directory; empty if no server did. */
  Optional<String> adopterOf(String directory) throws IOException {
    String path = path(directory);
    try (RemoteInput input = files.open(path)) {
      int length = (int) Math.min(input.length(), AdoptionMark.MAX_LENGTH + 1);
      ByteBuffer mark = ByteBuffer.allocate(length);
      while (mark.hasRemaining()) {
        if (input.read(mark.position(), mark) < 0) {
          throw new EOFException(path + " ends at offset " + mark.position());
        }
      }
      return Optional.of(AdoptionMark.decode(mark.array(), path).adopter());
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  /** Marks a directory as adopted; replaces the mark of a server that is lost, too. */
  void write(String directory, String adopter) throws IOException {
    try (RemoteOutput output = files.create(path(directory))) {
      output.write(ByteBuffer.wrap(new AdoptionMark(adopter).encode()));
      output.complete();
    }
  }

  void delete(String directory) throws IOException {
    files.delete(path(directory));
  }

  private static String path(String directory) {
    return DIRECTORY + "/" + directory;
  }
}
