package io.sluice.server.adopt;

import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.common.run.RunExtent;
import io.sluice.common.run.RunFormatException;
import io.sluice.common.run.RunId;
import io.sluice.common.run.RunReader;
import io.sluice.server.catalog.RunRecord;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.RunFile;
import io.sluice.server.disk.RunFiles;
import io.sluice.server.disk.Storage;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.ShuffleLog;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.recovery.RunRecords;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Adds single runs of a lost server to the catalog and to the logs of this server, from their
 * headers and footers. Blocks that this server has as well, as another replica, are stored twice;
 * readers count each block once. Thread-safe.
 */
final class RunAdoption {
  private static final Logger LOG = LoggerFactory.getLogger(RunAdoption.class);

  /** Maximum number of attempts to read a run. */
  private static final int ATTEMPTS = 3;

  /** What happened to a run. */
  enum Result {
    /** This server serves it. */
    ADOPTED,
    /** Its file stays, and no server serves it. */
    SKIPPED,
    /** Its shuffle was removed, so its file is deleted. */
    REMOVED
  }

  private final Disk disk;
  private final RunFiles files;
  private final ShuffleStore store;

  RunAdoption(Disk disk, RunFiles files, ShuffleStore store) {
    this.disk = disk;
    this.files = files;
    this.store = store;
  }

  /**
   * Adopts a run.
   *
   * @param known shuffles of the runs that this server serves already: it wrote them, and another
   *     server adopted them meanwhile, or an adoption failed in its middle and begins again
   * @param shuffles receives its shuffle, if this server serves the run
   * @throws IOException if the catalog cannot be written
   */
  Result adopt(Storage.Entry entry, Map<RunId, ShuffleKey> known, Set<ShuffleKey> shuffles)
      throws IOException {
    Optional<RunId> id = RunFiles.runId(entry.file());
    if (id.isEmpty()) {
      return Result.SKIPPED;
    }
    ShuffleKey served = known.get(id.get());
    if (served != null) {
      shuffles.add(served);
      return Result.ADOPTED;
    }
    try (RunReader reader = open(entry, id.get())) {
      return adopt(RunRecords.of(reader), reader, shuffles);
    } catch (UnreadableRunException e) {
      LOG.warn(
          "run not adopted file={} problem={}",
          disk.storage().pathOf(entry.file()),
          e.getCause().toString());
      return Result.SKIPPED;
    }
  }

  /** Opens a run, and reads its footer once: nothing of a damaged run is adopted. */
  private RunReader open(Storage.Entry entry, RunId id) throws UnreadableRunException {
    for (int attempt = 1; ; attempt++) {
      try {
        return openOnce(entry, id);
      } catch (IOException e) {
        if (attempt == ATTEMPTS || e instanceof RunFormatException) {
          throw new UnreadableRunException(e);
        }
      }
    }
  }

  private RunReader openOnce(Storage.Entry entry, RunId id) throws IOException {
    String name = disk.storage().pathOf(entry.file());
    RunReader reader = RunReader.open(disk.storage().openFooter(entry.file()), name);
    boolean readable = false;
    try {
      if (!reader.header().runId().equals(id)) {
        throw new IOException(name + " has the header of run " + reader.header().runId());
      }
      for (RunExtent extent : reader.extents()) {
        reader.forEachBlock(extent, block -> {});
      }
      readable = true;
      return reader;
    } finally {
      if (!readable) {
        reader.close();
      }
    }
  }

  private Result adopt(RunRecord record, RunReader reader, Set<ShuffleKey> shuffles)
      throws IOException {
    try {
      if (!store.hasRoomFor(reader.extents().size())) {
        throw new SluiceException(
            StatusCode.NO_SPACE, "the limit of partitions or of their metadata is reached");
      }
      store.findOrCreate(record.shuffle());
    } catch (SluiceException e) {
      return refused(record, e);
    }
    boolean recorded = false;
    try {
      disk.catalog().add(record);
      recorded = true;
    } finally {
      if (!recorded) {
        store.dropIfUnused(record.shuffle());
      }
    }
    RunFile run = files.add(disk, record);
    ShuffleLog log;
    try {
      log = addTo(run, record);
    } catch (SluiceException e) {
      // Removed meanwhile, or the maximum number of shuffles was reached meanwhile.
      run.discard();
      return Result.REMOVED;
    }
    for (RunExtent extent : reader.extents()) {
      addExtent(log, run, extent, reader);
    }
    shuffles.add(record.shuffle());
    return Result.ADOPTED;
  }

  /** Blocks of an extent that cannot be read any longer are missing until the next start. */
  private static void addExtent(ShuffleLog log, RunFile run, RunExtent extent, RunReader reader) {
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
      try {
        log.adoptExtent(run, extent, reader.blocks(extent));
        return;
      } catch (IOException e) {
        LOG.warn(
            "blocks of a run not adopted file={} partition={} attempt={} problem={}",
            reader.file(),
            extent.partition(),
            attempt,
            e.toString());
      }
    }
  }

  /** The log of the shuffle, with the run. A log that was never used may end before it has it. */
  private ShuffleLog addTo(RunFile run, RunRecord record) throws SluiceException {
    while (true) {
      ShuffleLog log = store.findOrCreate(record.shuffle());
      if (log.adoptRun(run, record.order())) {
        return log;
      }
    }
  }

  private Result refused(RunRecord record, SluiceException reason) throws IOException {
    String file = RunFiles.fileName(record.id());
    if (reason.code() == StatusCode.EXPIRED) {
      disk.storage().delete(file);
      return Result.REMOVED;
    }
    LOG.warn(
        "run not adopted file={} problem={}", disk.storage().pathOf(file), reason.getMessage());
    return Result.SKIPPED;
  }

  /** A run that is damaged or cannot be read. */
  private static final class UnreadableRunException extends Exception {
    private static final long serialVersionUID = 1L;

    UnreadableRunException(IOException cause) {
      super(cause);
    }
  }
}
