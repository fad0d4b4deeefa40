package io.sluice.server.recovery;

import io.sluice.common.run.RunId;
import io.sluice.server.log.ShuffleKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Selects the runs to serve from all runs that were found.
 *
 * <ul>
 *   <li>A run of a deleted shuffle is dropped.
 *   <li>A run that another run replaces is dropped: it was merged, and the server crashed before it
 *       was removed. This applies even if the other run is itself replaced.
 *   <li>Of two copies of a run one is dropped: the server crashed during a move between disks, and
 *       both have the same bytes. The copy on the slower kind of disk was the target and is kept.
 * </ul>
 *
 * @param byShuffle runs to serve, in order
 * @param dropped runs to remove from their catalogs and delete
 */
record RunSelection(Map<ShuffleKey, List<FoundRun>> byShuffle, List<FoundRun> dropped) {
  private static final Comparator<FoundRun> IN_ORDER =
      Comparator.comparing((FoundRun run) -> run.record().order())
          .thenComparing(run -> run.record().id().toString());

  private static final Comparator<ShuffleKey> BY_NAME =
      Comparator.comparing(ShuffleKey::application).thenComparingInt(ShuffleKey::shuffle);

  static RunSelection of(List<FoundRun> found, Set<ShuffleKey> deleted) {
    Set<RunId> replaced = replaced(found);
    Map<RunId, FoundRun> kept = new HashMap<>();
    List<FoundRun> dropped = new ArrayList<>();
    for (FoundRun run : found) {
      RunId id = run.record().id();
      FoundRun twin = kept.get(id);
      if (deleted.contains(run.record().shuffle()) || replaced.contains(id)) {
        dropped.add(run);
      } else if (twin == null) {
        kept.put(id, run);
      } else if (run.disk().kind().compareTo(twin.disk().kind()) > 0) {
        // A move to the slower kind was in progress, because the faster disk was full.
        kept.put(id, run);
        dropped.add(twin);
      } else {
        dropped.add(run);
      }
    }
    Map<ShuffleKey, List<FoundRun>> byShuffle = new TreeMap<>(BY_NAME);
    for (FoundRun run : kept.values()) {
      byShuffle.computeIfAbsent(run.record().shuffle(), unused -> new ArrayList<>()).add(run);
    }
    byShuffle.values().forEach(runs -> runs.sort(IN_ORDER));
    return new RunSelection(byShuffle, dropped);
  }

  /** Runs that any found run lists as replaced. */
  static Set<RunId> replaced(Collection<FoundRun> found) {
    Set<RunId> replaced = new HashSet<>();
    found.forEach(run -> replaced.addAll(run.replaced()));
    return replaced;
  }
}
