package io.sluice.coordinator.raft;

import io.sluice.common.file.FileRights;
import io.sluice.coordinator.log.Backup;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * A backup with which a new quorum begins. Each of its coordinators has the same file in its
 * directory before the quorum forms, and deletes it when the records are the first snapshot of its
 * log. Immutable.
 *
 * @param digest SHA-256 of the file, in hexadecimal digits
 * @param records the records of the backup
 */
public record RestoredBackup(String digest, List<byte[]> records) {
  private static final String FILE = "restore";

  /**
   * Stores a backup in the directory of a coordinator, which is empty or missing.
   *
   * @param directory directory of the shared log
   * @param file contents of the backup, which can be decoded
   * @throws IOException if the directory cannot be written
   */
  public static void store(Path directory, byte[] file) throws IOException {
    FileRights.OWNER_ONLY.makeDirectory(directory);
    SnapshotFile.write(directory.resolve(FILE), file);
  }

  /**
   * Returns the backup in a directory; empty: there is none.
   *
   * @throws IOException if it is damaged; the message is one line
   */
  static Optional<RestoredBackup> find(Path directory) throws IOException {
    Path path = directory.resolve(FILE);
    if (!Files.exists(path)) {
      return Optional.empty();
    }
    try (InputStream in = Files.newInputStream(path)) {
      byte[] file = Backup.read(in);
      return Optional.of(new RestoredBackup(digest(file), Backup.decode(file).records()));
    } catch (IOException e) {
      throw new IOException(
          path + ": " + e.getMessage() + "; empty the directory and restore the backup again", e);
    }
  }

  private static String digest(byte[] file) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(file));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Deletes the file, when its records are in the log. */
  static void delete(Path directory) throws IOException {
    Files.deleteIfExists(directory.resolve(FILE));
  }
}
