package io.sluice.server.catalog;

import io.sluice.common.run.RunId;
import io.sluice.common.run.RunOrder;
import io.sluice.server.log.ShuffleKey;
import java.util.List;

/**
 * A run that exists.
 *
 * @param order where it stands among the runs of its shuffle
 * @param length bytes of its file
 * @param replaces the runs that it was merged from
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
