package io.sluice.coordinator.cluster;

import io.sluice.proto.ShuffleMove;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Moves of one application's shuffles from leaving servers to other servers: the latest one per
 * shuffle and leaving server, and whether the driver has applied it. A move is kept after the
 * server has left, because the driver may receive it later. Immutable.
 */
public final class Moves {
  public static final Moves NONE = new Moves(Map.of());

  /** Maximum number of moves, some hundred bytes each; then the oldest are removed. */
  static final int MAX_MOVES = 10_000;

  /** In the order of their first report; never changed after construction. */
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

  /** Whether a move is known with this target. */
  public boolean contains(ShuffleMove move) {
    State known = moves.get(Key.of(move));
    return known != null && known.move.equals(move);
  }

  /** Whether the driver has applied exactly this move. */
  public boolean isApplied(ShuffleMove move) {
    State known = moves.get(Key.of(move));
    return known != null && known.applied && known.move.equals(move);
  }

  /** Whether exactly this move is known and the driver has not applied it. */
  public boolean isPending(ShuffleMove move) {
    return contains(move) && !isApplied(move);
  }

  /** Returns these moves and more; a move with a new target becomes pending. */
  public Moves with(Collection<ShuffleMove> reported) {
    Map<Key, State> changed = new LinkedHashMap<>(moves);
    for (ShuffleMove move : reported) {
      if (!contains(move)) {
        changed.put(Key.of(move), new State(move, false));
      }
    }
    while (changed.size() > MAX_MOVES) {
      changed.remove(changed.keySet().iterator().next());
    }
    return new Moves(Collections.unmodifiableMap(changed));
  }

  /** Returns these moves after the driver confirmed some; unknown moves are ignored. */
  public Moves applied(Collection<ShuffleMove> confirmed) {
    Map<Key, State> changed = new LinkedHashMap<>(moves);
    for (ShuffleMove move : confirmed) {
      if (contains(move)) {
        changed.put(Key.of(move), new State(move, true));
      }
    }
    return new Moves(Collections.unmodifiableMap(changed));
  }

  /** Returns these moves as pending, because a restarted driver has not applied any. */
  public Moves asPending() {
    if (moves.isEmpty()) {
      return this;
    }
    Map<Key, State> changed = new LinkedHashMap<>();
    moves.forEach((key, state) -> changed.put(key, new State(state.move, false)));
    return new Moves(Collections.unmodifiableMap(changed));
  }

  /** Returns the moves that the driver has not applied, oldest first. */
  public List<ShuffleMove> pending(int max) {
    List<ShuffleMove> all = new ArrayList<>();
    for (State state : moves.values()) {
      if (!state.applied && all.size() < max) {
        all.add(state.move);
      }
    }
    return all;
  }
}
