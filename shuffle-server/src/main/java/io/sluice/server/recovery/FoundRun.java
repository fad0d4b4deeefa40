package io.sluice.server.recovery;

import io.sluice.common.run.RunId;
import io.sluice.server.catalog.RunRecord;
import io.sluice.server.disk.Disk;
import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * A run whose file passed the checks of header, block lists, index and trailer. Readers verify the
 * checksums of blocks.
 *
 * @param replaced merged input runs, from its footer
 * @param damage lengths of the blocks that were found damaged earlier, by their offsets
 */
record FoundRun(
    Disk disk, RunRecord record, List<RunId> replaced, NavigableMap<Long, Integer> damage) {
  FoundRun {
    replaced = List.copyOf(replaced);
    damage = Collections.unmodifiableNavigableMap(new TreeMap<>(damage));
  }
}
