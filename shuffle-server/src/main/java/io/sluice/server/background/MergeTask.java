package io.sluice.server.background;

import io.sluice.server.disk.Disk;
import io.sluice.server.log.ShuffleLog;
import io.sluice.server.log.StoredRun;
import java.util.List;

/**
 * A planned merge.
 *
 * @param runs neighboring runs, in order
 * @param output disk of the merged run
 * @param outputBytes maximum length of the merged run
 * @param gain benefit of the merge, see {@link MergeWindow#gain}
 */
record MergeTask(ShuffleLog log, List<StoredRun> runs, Disk output, long outputBytes, double gain) {
  MergeTask {
    runs = List.copyOf(runs);
  }
}
