package io.sluice.server.recovery;

import io.sluice.common.run.RunId;
import io.sluice.server.catalog.CleanStop;
import io.sluice.server.catalog.Tombstone;
import io.sluice.server.disk.Disk;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a directory was found to hold.
 *
 * @param runs in no order
 * @param lost recorded runs whose files are missing, damaged or cannot be read
 * @param unknownFiles files of runs that the catalog did not know, now deleted
 * @param unknownBytes their bytes
 */
record DirectoryContents(
    Disk disk,
    List<FoundRun> runs,
    Set<RunId> lost,
    List<Tombstone> tombstones,
    Optional<CleanStop> lastStop,
    int unknownFiles,
    long unknownBytes) {
  DirectoryContents {
    runs = List.copyOf(runs);
    lost = Set.copyOf(lost);
    tombstones = List.copyOf(tombstones);
  }
}
