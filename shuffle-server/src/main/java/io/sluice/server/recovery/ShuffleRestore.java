package io.sluice.server.recovery;

import io.sluice.common.run.RunExtent;
import io.sluice.common.run.RunReader;
import io.sluice.server.disk.RunFile;
import io.sluice.server.disk.RunFiles;
import io.sluice.server.log.ShuffleLog;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Restores the log of one shuffle from its runs. A run that can no longer be opened is skipped; a
 * run that fails during its restore is declared lost, and its extents are removed again. Used by
 * one thread.
 */
final class ShuffleRestore {
  private static final Logger LOG = LoggerFactory.getLogger(ShuffleRestore.class);

  private final ShuffleLog log;
  private final RunFiles files;
  private final Map<RunFile, FoundRun> restored = new LinkedHashMap<>();
  private long bytes;
  private int lost;

  ShuffleRestore(ShuffleLog log, RunFiles files) {
    this.log = log;
    this.files = files;
  }

  /**
   * Restores the runs.
   *
   * @param runs in order
   */
  void restore(List<FoundRun> runs) {
    for (FoundRun found : runs) {
      try (RunReader reader = open(found)) {
        restore(found, reader);
      } catch (IOException e) {
        lost++;
        LOG.warn(
            "run cannot be read {} file={} problem={}", log.key(), nameOf(found), e.toString());
      }
    }
  }

  private void restore(FoundRun found, RunReader reader) {
    RunFile run = files.add(found.disk(), found.record());
    run.addDamage(found.damage());
    log.restoreRun(run, found.record().order());
    try {
      for (RunExtent extent : reader.extents()) {
        log.restoreExtent(run, extent, reader.blocks(extent));
      }
      restored.put(run, found);
      bytes += found.record().length();
    } catch (IOException e) {
      lost++;
      LOG.atWarn()
          .addKeyValue("application", log.key().application())
          .addKeyValue("shuffle", log.key().shuffle())
          .addKeyValue("problem", e.toString())
          .log("run lost during restore");
      recount(Set.copyOf(log.lose(Set.of(run))));
    }
  }

  /** Total length of the restored files. */
  long bytes() {
    return bytes;
  }

  /** Number of runs that could not be read. */
  int lost() {
    return lost;
  }

  private void recount(Set<Integer> partitions) {
    for (Map.Entry<RunFile, FoundRun> other : restored.entrySet()) {
      recount(other.getKey(), other.getValue(), partitions);
    }
  }

  private void recount(RunFile run, FoundRun found, Set<Integer> partitions) {
    try (RunReader reader = open(found)) {
      for (RunExtent extent : reader.extents()) {
        if (partitions.contains(extent.partition())) {
          log.recount(run, extent.partition(), run.intactBlocks(reader, extent));
        }
      }
    } catch (IOException e) {
      // Its attempts stay incomplete there, which is safe.
      LOG.atWarn()
          .addKeyValue("application", log.key().application())
          .addKeyValue("shuffle", log.key().shuffle())
          .addKeyValue("file", run)
          .addKeyValue("problem", e.toString())
          .log("blocks of run not counted");
    }
  }

  private static RunReader open(FoundRun found) throws IOException {
    String name = RunFiles.fileName(found.record().id());
    return RunReader.open(found.disk().storage().openFooter(name), nameOf(found));
  }

  private static String nameOf(FoundRun found) {
    return found.disk().storage().pathOf(RunFiles.fileName(found.record().id()));
  }
}
