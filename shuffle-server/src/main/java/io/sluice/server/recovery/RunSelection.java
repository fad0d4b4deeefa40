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
 * Which of the runs that were found in all directories are served again.
 *
 * <ul>
 *   <li>A run of a forgotten shuffle is not.
 *   <li>A run that another one replaces is not: it was merged, and a crash came before it was
 *       struck out. That holds whether or not the other one is itself replaced.
 *   <li>Of a run that is there twice, one is: a crash came while it was moved from one disk to
 *       another, and both are the same bytes. The one on the slower kind of disk was the target.
 * </ul>
 *
 * @param byShuffle what is served, in the order of the blocks
 * @param dropped what is to be struck from its catalog and deleted
 */
record RunSelection(Map<ShuffleKey, List<FoundRun>> byShuffle, List<FoundRun> dropped) {
  private static final Comparator<FoundRun> IN_ORDER =
      Comparator.comparing((FoundRun run) -> run.record().order())
          .thenComparing(run -> run.record().id().toString());

  private static final Comparator<ShuffleKey> BY_NAME =
      Comparator.comparing(ShuffleKey::application).thenComparingInt(ShuffleKey::shuffle);

  static RunSelection of(List<FoundRun> found, Set<ShuffleKey> forgotten) {
    Set<RunId> replaced = replaced(found);
    Map<RunId, FoundRun> kept = new HashMap<>();
    List<FoundRun> dropped = new ArrayList<>();
    for (FoundRun run : found) {
      RunId id = run.record().id();
      FoundRun twin = kept.get(id);
      if (forgotten.contains(run.record().shuffle()) || replaced.contains(id)) {
        dropped.add(run);
      } else if (twin == null) {
        kept.put(id, run);
      } else if (run.disk().kind().compareTo(twin.disk().kind()) > 0) {
        // A move was under way, to the slower kind, because the faster one was full.
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

  /** Runs of which any found one says that it holds their blocks. */
  static Set<RunId> replaced(Collection<FoundRun> found) {
    Set<RunId> replaced = new HashSet<>();
    found.forEach(run -> replaced.addAll(run.replaced()));
    return replaced;
  }
}
