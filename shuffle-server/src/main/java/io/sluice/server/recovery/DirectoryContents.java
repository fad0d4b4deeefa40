package io.sluice.server.recovery;

import io.sluice.server.catalog.CleanStop;
import io.sluice.server.catalog.RunRecord;
import io.sluice.server.catalog.Tombstone;
import io.sluice.server.disk.Disk;
import java.util.List;
import java.util.Optional;

/**
 * Result of the scan of one directory.
 *
 * @param runs in no order
 * @param lost recorded runs whose files are missing, damaged or unreadable
 * @param unknownFiles number of deleted run files that the catalog did not list
 * @param unknownBytes total length of these files
 */
record DirectoryContents(
    Disk disk,
    List<FoundRun> runs,
    List<RunRecord> lost,
    List<Tombstone> tombstones,
    Optional<CleanStop> lastStop,
    int unknownFiles,
    long unknownBytes) {
  DirectoryContents {
    runs = List.copyOf(runs);
    lost = List.copyOf(lost);
    tombstones = List.copyOf(tombstones);
  }
}
