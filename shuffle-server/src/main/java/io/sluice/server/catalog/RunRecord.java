package io.sluice.server.catalog;

import io.sluice.common.run.RunId;
import io.sluice.common.run.RunOrder;
import io.sluice.server.log.ShuffleKey;
import java.util.List;

/**
 * The catalog record of a run.
 *
 * @param order position among the runs of its shuffle
 * @param length length of its file in bytes
 * @param replaces the merged input runs
 */
public record RunRecord(
    RunId id, ShuffleKey shuffle, RunOrder order, long length, List<RunId> replaces) {
  public RunRecord {
    replaces = List.copyOf(replaces);
    if (length < 1 || replaces.contains(id)) {
      throw new IllegalArgumentException(
          "run " + id + " of " + length + " bytes replaces " + replaces);
    }
  }
}
