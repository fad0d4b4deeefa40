package io.sluice.server.recovery;

import io.sluice.common.run.RunId;
import io.sluice.server.catalog.RunRecord;
import io.sluice.server.disk.Disk;
import java.util.List;

/**
 * A run whose file passed the checks of header, block lists, index and trailer. Readers verify the
 * checksums of blocks.
 *
 * @param replaced merged input runs, from its footer
 */
record FoundRun(Disk disk, RunRecord record, List<RunId> replaced) {
  FoundRun {
    replaced = List.copyOf(replaced);
  }
}
