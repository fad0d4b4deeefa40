package io.sluice.server.recovery;

import io.sluice.common.run.RunId;
import io.sluice.server.catalog.RunRecord;
import io.sluice.server.disk.Disk;
import java.util.List;

/**
 * A run whose file is whole: header, block lists, index and trailer were checked. The blocks have
 * checksums of their own, for those who read them.
 *
 * @param replaced runs that it was merged from, as its footer says
 */
record FoundRun(Disk disk, RunRecord record, List<RunId> replaced) {
  FoundRun {
    replaced = List.copyOf(replaced);
  }
}
