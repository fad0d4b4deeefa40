package io.sluice.server.background;

import io.sluice.server.disk.Disk;
import io.sluice.server.log.ShuffleLog;
import io.sluice.server.log.StoredRun;
import java.util.List;

/**
 * A merge that is worth doing.
 *
 * @param runs neighbours, in their order
 * @param output the disk that the merged run goes to
 * @param outputBytes most bytes that it needs there
 * @param gain what it is worth, see {@link MergeWindow#gain}
 */
record MergeTask(ShuffleLog log, List<StoredRun> runs, Disk output, long outputBytes, double gain) {
  MergeTask {
    runs = List.copyOf(runs);
  }
}
