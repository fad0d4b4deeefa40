package io.sluice.server.recovery;

import io.sluice.common.run.RunExtent;
import io.sluice.common.run.RunFormatException;
import io.sluice.common.run.RunHeader;
import io.sluice.common.run.RunId;
import io.sluice.common.run.RunReader;
import io.sluice.server.catalog.RunRecord;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.RunFiles;
import io.sluice.server.disk.Storage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Scans one directory. States after a crash, and how they are handled:
 *
 * <pre>
 *   file       record   meaning                                      action
 *   NAME.tmp   no       the writer did not finish                    deleted when the directory was opened
 *   whole      no       written, not registered; or removed from     deleted: its blocks are either
 *                       the catalog, not deleted                     in no log, or of a deleted shuffle
 *   whole      yes      a run                                        found
 *   none       yes      deleted from outside                         record dropped, lost
 *   damaged    yes      disk fault, or a crash of the machine        record dropped, lost; the file
 *                                                                    stays until the next start
 *   unreadable yes      read error                                   record stays, lost in this epoch
 * </pre>
 *
 * <p>{@link Recovery#restore} deletes lost runs that are not needed: of deleted shuffles, or with
 * their blocks in another run.
 *
 * <p>Owned by one thread; others may read its progress.
 */
final class DirectoryScan {
  private static final Logger LOG = LoggerFactory.getLogger(DirectoryScan.class);

  private final Disk disk;
  private final List<FoundRun> found = new ArrayList<>();
  private final List<RunRecord> lost = new ArrayList<>();
  private final List<RunId> toDrop = new ArrayList<>();
  private Map<RunId, NavigableMap<Long, Integer>> damage = Map.of();
  private int unknownFiles;
  private long unknownBytes;
  private volatile int recorded;
  private final AtomicInteger checked = new AtomicInteger();
  private volatile boolean abandoned;

  DirectoryScan(Disk disk) {
    this.disk = disk;
  }

  Disk disk() {
    return disk;
  }

  /**
   * Abandons the scan after the timeout. New runs may be written to the directory from now on, so
   * the scan no longer deletes files.
   */
  void abandon() {
    abandoned = true;
  }

  /** Number of runs checked so far. */
  int checked() {
    return checked.get();
  }

  /** Number of runs in the catalog; 0 until it is known. */
  int recorded() {
    return recorded;
  }

  /**
   * Scans the directory, and deletes files that the catalog does not list.
   *
   * @throws IOException if the directory or its catalog cannot be read
   */
  DirectoryContents scan() throws IOException {
    List<RunRecord> records = disk.catalog().runs();
    damage = disk.catalog().damage();
    recorded = records.size();
    Map<RunId, Storage.Entry> files = new HashMap<>();
    for (Storage.Entry entry : disk.storage().list()) {
      RunFiles.runId(entry.file()).ifPresent(id -> files.put(id, entry));
    }
    checkNotAbandoned();
    for (RunRecord run : records) {
      check(run, files.remove(run.id()));
      checked.incrementAndGet();
    }
    for (Storage.Entry unknown : files.values()) {
      delete(unknown);
    }
    Set<RunId> known = new HashSet<>();
    records.forEach(run -> known.add(run.id()));
    damage.keySet().stream().filter(run -> !known.contains(run)).forEach(toDrop::add);
    if (!toDrop.isEmpty()) {
      disk.catalog().remove(toDrop);
    }
    if (unknownFiles > 0) {
      LOG.info(
          "deleted runs that the catalog does not list directory={} files={} bytes={}",
          disk.name(),
          unknownFiles,
          unknownBytes);
    }
    return new DirectoryContents(
        disk,
        found,
        lost,
        disk.catalog().tombstones(),
        disk.catalog().lastCleanStop(),
        unknownFiles,
        unknownBytes);
  }

  private void checkNotAbandoned() throws IOException {
    if (abandoned) {
      throw new IOException(
          "directory " + disk.name() + " was not scanned within rss.server.recovery.timeout");
    }
  }

  private void check(RunRecord run, Storage.Entry file) {
    String name = disk.storage().pathOf(RunFiles.fileName(run.id()));
    if (file == null) {
      drop(run, "run file=" + name + ": file does not exist");
      return;
    }
    try (RunReader reader = RunReader.open(disk.storage().openFooter(file.file()), name)) {
      if (!matches(reader, run)) {
        drop(
            run,
            "run file="
                + name
                + " offset=0: expected "
                + run
                + ", found "
                + reader.header()
                + " in "
                + reader.fileLength()
                + " bytes");
        return;
      }
      for (RunExtent extent : reader.extents()) {
        reader.forEachBlock(extent, block -> {});
      }
      found.add(
          new FoundRun(
              disk,
              run,
              reader.replaced(),
              damage.getOrDefault(run.id(), Collections.emptyNavigableMap())));
    } catch (RunFormatException e) {
      drop(run, e.getMessage());
    } catch (IOException e) {
      LOG.warn("run cannot be read {} file={} problem={}", run.shuffle(), name, e.toString());
      lost.add(run);
    }
  }

  private static boolean matches(RunReader reader, RunRecord run) {
    RunHeader header = reader.header();
    return header.runId().equals(run.id())
        && header.order().equals(run.order())
        && header.application().equals(run.shuffle().application())
        && header.shuffle() == run.shuffle().shuffle()
        && reader.fileLength() == run.length();
  }

  private void drop(RunRecord run, String problem) {
    LOG.warn("run lost {} problem={}", run.shuffle(), problem);
    lost.add(run);
    toDrop.add(run.id());
  }

  private void delete(Storage.Entry unknown) {
    try {
      disk.storage().delete(unknown.file());
      unknownFiles++;
      unknownBytes += unknown.length();
    } catch (IOException e) {
      LOG.warn(
          "run not deleted file={} problem={}",
          disk.storage().pathOf(unknown.file()),
          e.toString());
    }
  }
}
