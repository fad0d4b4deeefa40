package io.sluice.server.recovery;

import io.sluice.common.run.RunId;
import io.sluice.server.catalog.CleanStop;
import io.sluice.server.catalog.RunRecord;
import io.sluice.server.catalog.Tombstone;
import io.sluice.server.disk.Disk;
import io.sluice.server.log.ShuffleKey;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Result of the scans of all directories.
 *
 * @param directories results of the directories that were scanned within the timeout
 */
public record ScanResult(List<DirectoryContents> directories) {
  public ScanResult {
    directories = List.copyOf(directories);
  }

  /** The largest epoch in any record; 0 if there is none. */
  public long newestEpoch() {
    long newest = 0;
    for (DirectoryContents directory : directories) {
      for (FoundRun run : directory.runs()) {
        newest = Math.max(newest, run.record().order().epoch());
      }
      newest = Math.max(newest, directory.lastStop().map(CleanStop::epoch).orElse(0L));
    }
    return newest;
  }

  List<FoundRun> runs() {
    List<FoundRun> runs = new ArrayList<>();
    directories.forEach(directory -> runs.addAll(directory.runs()));
    return runs;
  }

  /** Deleted shuffles, in the order of their deletion. */
  Set<ShuffleKey> deleted() {
    List<Tombstone> all = new ArrayList<>();
    directories.forEach(directory -> all.addAll(directory.tombstones()));
    all.sort(Comparator.comparingLong(Tombstone::deletedAtMs));
    Map<ShuffleKey, Tombstone> newest = new LinkedHashMap<>();
    for (Tombstone tombstone : all) {
      newest.remove(tombstone.shuffle());
      newest.put(tombstone.shuffle(), tombstone);
    }
    return newest.keySet();
  }

  /** Recorded runs of live shuffles whose blocks are no longer in any file. */
  Set<RunId> lost() {
    Predicate<RunRecord> needed = needed();
    return directories.stream()
        .flatMap(directory -> directory.lost().stream())
        .filter(needed)
        .map(RunRecord::id)
        .collect(Collectors.toSet());
  }

  /**
   * Runs that cannot be read and are not needed, by the disk that lost them: their blocks are in
   * another file, or their shuffle was deleted.
   */
  Map<Disk, List<RunRecord>> unneeded() {
    Predicate<RunRecord> unneeded = needed().negate();
    Map<Disk, List<RunRecord>> runs = new LinkedHashMap<>();
    for (DirectoryContents directory : directories) {
      runs.put(directory.disk(), directory.lost().stream().filter(unneeded).toList());
    }
    return runs;
  }

  private Predicate<RunRecord> needed() {
    if (directories.stream().allMatch(directory -> directory.lost().isEmpty())) {
      // Saves sets of all runs at an ordinary start.
      return run -> true;
    }
    List<FoundRun> found = runs();
    Set<RunId> elsewhere = RunSelection.replaced(found);
    found.forEach(run -> elsewhere.add(run.record().id()));
    Set<ShuffleKey> deleted = deleted();
    return run -> !elsewhere.contains(run.id()) && !deleted.contains(run.shuffle());
  }

  /**
   * The oldest epoch whose acknowledged data is complete.
   *
   * @param previousEpoch the previous epoch; 0: none
   * @param epoch the new epoch
   * @return an earlier epoch if the previous one ended with a clean stop and all its data was
   *     found, else {@code epoch}
   */
  long wholeSinceEpoch(long previousEpoch, long epoch) {
    if (!lost().isEmpty()) {
      return epoch;
    }
    long wholeSince = epoch;
    int marks = 0;
    int expected = 0;
    for (DirectoryContents directory : directories) {
      CleanStop stop = directory.lastStop().orElse(null);
      if (stop != null && stop.epoch() == previousEpoch) {
        marks++;
        expected = stop.directories();
        wholeSince = stop.wholeSinceEpoch();
      }
    }
    return marks > 0 && marks >= expected ? wholeSince : epoch;
  }
}
