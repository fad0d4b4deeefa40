package io.sluice.server.disk;

import io.sluice.common.error.SluiceException;
import io.sluice.common.run.DamagedBlock;
import io.sluice.common.run.RunFormatException;
import io.sluice.common.run.RunReader;
import io.sluice.server.log.LogPiece;
import io.sluice.server.log.LogRange;
import io.sluice.server.log.ShuffleLog;
import io.sluice.server.observe.ServerCounters;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Verifies blocks that readers report as damaged, on a thread of their disk. A block whose checksum
 * is wrong in its file is declared lost; a report alone changes nothing. The number of reports that
 * wait is limited, per application and in total; others are ignored. Thread-safe.
 */
public final class DamageReports {
  private static final Logger LOG = LoggerFactory.getLogger(DamageReports.class);

  /** A report costs one read of an index, and of one block. */
  static final int MAX_WAITING = 64;

  static final int MAX_WAITING_OF_APPLICATION = 8;

  private final RunFiles files;
  private final Loss loss;
  private final ServerCounters counters;
  // Number of waiting reports by application. Guarded by itself.
  private final Map<String, Integer> waiting = new HashMap<>();

  /** Declares damaged data lost. Thread-safe. */
  public interface Loss {
    /** Declares damaged blocks of a run lost. */
    void declare(RunFile run, List<DamagedBlock> blocks);

    /** Declares a run lost, whose header, block lists or index are damaged. */
    void declare(RunFile run);
  }

  public DamageReports(RunFiles files, Loss loss, ServerCounters counters) {
    this.files = files;
    this.loss = loss;
    this.counters = counters;
  }

  /**
   * Verifies a reported block.
   *
   * @param partition partition of the block
   * @param offset logical offset of any byte of the block
   * @return completes, never exceptionally, when the block is verified or the report is ignored
   */
  public CompletableFuture<Void> verify(ShuffleLog log, int partition, long offset) {
    LogPiece.InFile piece = locate(log, partition, offset);
    String application = log.key().application();
    if (piece == null) {
      return CompletableFuture.completedFuture(null);
    }
    if (!begin(application)) {
      piece.release();
      return CompletableFuture.completedFuture(null);
    }
    CompletableFuture<Void> verified = new CompletableFuture<>();
    RunFile run = (RunFile) piece.run();
    files.onThreadOf(
        run.disk(),
        () -> {
          try {
            verify(run, partition, piece.position());
          } finally {
            piece.release();
            end(application);
            verified.complete(null);
          }
        });
    return verified;
  }

  /** The reported byte in a run file; null if it is in memory, lost or unknown. */
  private static LogPiece.InFile locate(ShuffleLog log, int partition, long offset) {
    try {
      LogPiece piece = log.read(List.of(new LogRange(partition, offset, 1))).get(0);
      if (piece instanceof LogPiece.InFile file && file.run() instanceof RunFile) {
        return file;
      }
      piece.release();
    } catch (SluiceException e) {
      LOG.debug("report of a damaged block ignored {} reason={}", log.key(), e.getMessage());
    }
    return null;
  }

  private boolean begin(String application) {
    synchronized (waiting) {
      int before = waiting.getOrDefault(application, 0);
      int all = waiting.values().stream().mapToInt(Integer::intValue).sum();
      if (before >= MAX_WAITING_OF_APPLICATION || all >= MAX_WAITING) {
        return false;
      }
      waiting.put(application, before + 1);
      return true;
    }
  }

  private void end(String application) {
    synchronized (waiting) {
      waiting.computeIfPresent(application, (key, count) -> count == 1 ? null : count - 1);
    }
  }

  private void verify(RunFile run, int partition, long position) {
    Disk disk = run.disk();
    try (RunReader reader = RunReader.open(run.openOwn(), run.toString())) {
      Optional<DamagedBlock> damaged = reader.verifyBlock(partition, position);
      counters.reportedBlock(damaged.isPresent());
      if (damaged.isPresent()) {
        LOG.error("block is damaged {}", damaged.get().problem().getMessage());
        disk.health().checksumFailed(run.toString(), damaged.get().fileOffset());
        loss.declare(run, List.of(damaged.get()));
      }
    } catch (RunFormatException e) {
      counters.reportedBlock(true);
      LOG.error("run is damaged {}", e.getMessage());
      disk.health().checksumFailed(run.toString(), e.offset());
      loss.declare(run);
    } catch (IOException e) {
      disk.health().readFailed(run.failedRead(), e);
    }
  }
}
