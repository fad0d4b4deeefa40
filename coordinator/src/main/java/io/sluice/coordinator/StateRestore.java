package io.sluice.coordinator;

import io.sluice.common.config.ConfigException;
import io.sluice.common.config.ConfigSet;
import io.sluice.coordinator.log.Backup;
import io.sluice.coordinator.log.RocksMetadataLog;
import io.sluice.coordinator.raft.CoordinatorGroup;
import io.sluice.coordinator.raft.RestoredBackup;
import io.sluice.coordinator.state.StateCopies;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Restores a backup into the data directory of a coordinator that is not running. */
public final class StateRestore {
  private StateRestore() {}

  /**
   * Restores a backup. A single coordinator has the state at its next start; coordinators of a
   * quorum begin with it when all of them have the same backup.
   *
   * @param set configuration of the coordinator
   * @param file contents of the backup
   * @return the number of entries of each kind
   * @throws IOException if the file is damaged, or the directory is not empty or cannot be written;
   *     the message is one line. Nothing has changed then, except that the directory may exist.
   */
  public static StateCopies.Summary restore(ConfigSet set, byte[] file) throws IOException {
    CoordinatorConfig config = CoordinatorConfig.from(set);
    Path directory =
        config
            .files()
            .dataDirectory()
            .orElseThrow(
                () ->
                    new ConfigException(
                        FilesConfig.DATA_DIR.name()
                            + " is not set: a backup is restored into this directory"));
    List<byte[]> records;
    StateCopies.Summary summary;
    try {
      records = Backup.decode(file).records();
      summary = StateCopies.Summary.of(records);
    } catch (IOException e) {
      throw new IOException(
          "the backup cannot be restored: " + e.getMessage() + "; use another one", e);
    }
    Path quorum = directory.resolve(CoordinatorGroup.DIRECTORY);
    if (config.group().isShared()) {
      requireEmpty(quorum, quorum);
      RestoredBackup.store(quorum, file);
    } else {
      // A directory of an earlier quorum is not used, and may stay.
      requireEmpty(directory, quorum);
      try (RocksMetadataLog log = RocksMetadataLog.open(directory)) {
        log.read();
        log.append(records);
      }
    }
    return summary;
  }

  private static void requireEmpty(Path directory, Path unused) throws IOException {
    if (Files.notExists(directory)) {
      return;
    }
    try (Stream<Path> contents = Files.list(directory)) {
      if (contents.anyMatch(path -> !path.equals(unused))) {
        throw new IOException(
            directory
                + " is not empty: a backup is restored only into an empty directory; stop the"
                + " coordinator and move its files away");
      }
    }
  }
}
