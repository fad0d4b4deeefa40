package io.sluice.coordinator.cluster;

import io.sluice.proto.ShuffleMove;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Where leaving servers copy the shuffles of one application to, and whether its driver heeds it:
 * the latest for each shuffle and leaving server. They outlive the servers, because a driver may
 * hear of them late. Immutable.
 */
public final class Moves {
  public static final Moves NONE = new Moves(Map.of());

  /** Some hundred bytes each; the oldest are forgotten beyond that. */
  static final int MOST = 10_000;

  /** In the order in which they were first heard of; never changed after construction. */
  private final Map<Key, State> moves;

  private record Key(int shuffle, String from) {
    static Key of(ShuffleMove move) {
      return new Key(move.getShuffle().getShuffle(), move.getFrom());
    }
  }

  private record State(ShuffleMove move, boolean applied) {}

  private Moves(Map<Key, State> moves) {
    this.moves = moves;
  }

  public int size() {
    return moves.size();
  }

  /** Whether it is known, with the same target. */
  public boolean knows(ShuffleMove move) {
    State known = moves.get(Key.of(move));
    return known != null && known.move.equals(move);
  }

  /** Whether the driver heeds just this one. */
  public boolean isApplied(ShuffleMove move) {
    State known = moves.get(Key.of(move));
    return known != null && known.applied && known.move.equals(move);
  }

  /** Whether just this one is known and the driver has not said that it heeds it. */
  public boolean isToTell(ShuffleMove move) {
    return knows(move) && !isApplied(move);
  }

  /** These moves and others; a new target has to be told to the driver again. */
  public Moves with(Collection<ShuffleMove> reported) {
    Map<Key, State> changed = new LinkedHashMap<>(moves);
    for (ShuffleMove move : reported) {
      if (!knows(move)) {
        changed.put(Key.of(move), new State(move, false));
      }
    }
    while (changed.size() > MOST) {
      changed.remove(changed.keySet().iterator().next());
    }
    return new Moves(Collections.unmodifiableMap(changed));
  }

  /** The driver heeds some; those that are not known just so do not count. */
  public Moves applied(Collection<ShuffleMove> said) {
    Map<Key, State> changed = new LinkedHashMap<>(moves);
    for (ShuffleMove move : said) {
      if (knows(move)) {
        changed.put(Key.of(move), new State(move, true));
      }
    }
    return new Moves(Collections.unmodifiableMap(changed));
  }

  /** Nobody is known to heed any: another process may speak for the application now. */
  public Moves untold() {
    if (moves.isEmpty()) {
      return this;
    }
    Map<Key, State> changed = new LinkedHashMap<>();
    moves.forEach((key, state) -> changed.put(key, new State(state.move, false)));
    return new Moves(Collections.unmodifiableMap(changed));
  }

  /** What the driver is to be told, oldest first. */
  public List<ShuffleMove> toTell(int most) {
    List<ShuffleMove> all = new ArrayList<>();
    for (State state : moves.values()) {
      if (!state.applied && all.size() < most) {
        all.add(state.move);
      }
    }
    return all;
  }
}
