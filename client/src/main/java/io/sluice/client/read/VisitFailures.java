package io.sluice.client.read;

import io.sluice.client.read.MissingBlocks.Reason;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Why the visited servers did not complete a partition. Owned by the task thread. */
final class VisitFailures {
  private static final VisitFailure NONE = new VisitFailure(null, Reason.NEVER_WRITTEN, "");

  /** More specific than INCOMPLETE, and less than UNREACHABLE. */
  private static final int WEIGHT_OF_MOVED = 2;

  // By server: its visits. Immutable while it is empty, as in most partitions.
  private Map<Integer, List<VisitFailure>> failures = Map.of();

  /**
   * Result of a visit.
   *
   * @param detail explanation of the reason; one line
   */
  record VisitFailure(ReadServer server, Reason reason, String detail) {
    /** How specific the reason is, as far as the newest assignment shows. */
    private int weight() {
      // A server that was replaced may have moved its data before it returned without them.
      return reason == Reason.LOST && (server.isLeaving() || server.isReplaced())
          ? WEIGHT_OF_MOVED
          : VisitFailures.weight(reason);
    }
  }

  /**
   * @param index index of the server in the assignment
   */
  void add(int index, ReadServer server, Reason reason, String detail) {
    if (failures.isEmpty()) {
      failures = new LinkedHashMap<>(2);
    }
    // The order is that of the last visits.
    List<VisitFailure> visits = failures.remove(index);
    if (visits == null) {
      visits = new ArrayList<>(1);
    }
    visits.add(new VisitFailure(server, reason, detail));
    failures.put(index, visits);
  }

  /** Whether a server did not answer at its last visit. */
  boolean isSilent(int index) {
    List<VisitFailure> visits = failures.get(index);
    return visits != null && last(visits).reason() == Reason.UNREACHABLE;
  }

  /** The result of the last visit of each server. */
  List<MissingBlocks.Answer> answers() {
    return failures.values().stream()
        .map(VisitFailures::last)
        .map(last -> new MissingBlocks.Answer(last.server().name(), last.reason()))
        .toList();
  }

  /** The visit with the most specific reason; of several, that of the server visited last. */
  VisitFailure mostSpecific() {
    return failures.values().stream()
        .flatMap(Collection::stream)
        .reduce(NONE, (first, next) -> next.weight() >= first.weight() ? next : first);
  }

  /** How specific a reason is. */
  static int weight(Reason reason) {
    return switch (reason) {
      case NEVER_WRITTEN -> 0;
      case INCOMPLETE -> 1;
      case UNREACHABLE -> 3;
      case LOST -> 4;
      case CORRUPT -> 5;
      case EXPIRED -> 6;
      case MISMATCH -> 7;
    };
  }

  private static VisitFailure last(List<VisitFailure> visits) {
    return visits.get(visits.size() - 1);
  }
}
