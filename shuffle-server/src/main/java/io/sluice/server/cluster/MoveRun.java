package io.sluice.server.cluster;

import io.sluice.proto.ShuffleMove;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.ShuffleLog;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.service.PushSeal;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Moves all data of a server to other servers.
 *
 * <p>States: {@code COPYING <-> SEALED -> DONE}. In state COPYING the server serves reads and
 * accepts pushes to assigned shuffles. Once every shuffle is ready, the server is sealed and each
 * shuffle gets a last pass. A shuffle that cannot be moved delays the seal until it is deleted.
 *
 * <p>Thread-safe. {@link #update} changes the state; steps of different shuffles may run
 * concurrently.
 */
final class MoveRun {
  private enum State {
    COPYING,
    SEALED,
    DONE
  }

  private final ShuffleStore store;
  private final PushSeal seal;
  private final Function<ShuffleLog, MovingShuffle> begin;
  private final Map<ShuffleKey, MovingShuffle> shuffles = new ConcurrentHashMap<>();
  // Written under this lock; read without it.
  private volatile State state = State.COPYING;
  private volatile int seals;

  /**
   * @param begin creates the move of a shuffle
   */
  MoveRun(ShuffleStore store, PushSeal seal, Function<ShuffleLog, MovingShuffle> begin) {
    this.store = store;
    this.seal = seal;
    this.begin = begin;
  }

  /**
   * Adds new shuffles, removes deleted ones, and changes the state if all shuffles are ready.
   *
   * @param onNew called for each new shuffle
   */
  synchronized void update(Consumer<MovingShuffle> onNew) {
    updateShuffles(onNew);
    if (state == State.COPYING
        && !shuffles.isEmpty()
        && shuffles.values().stream().allMatch(MovingShuffle::isReady)) {
      seal.seal();
      // A step that began under an earlier seal does not know the pushes since.
      seals++;
      state = State.SEALED;
      // Pushes before the seal are in the logs now, and later ones are refused.
      updateShuffles(onNew);
    }
    if (state == State.SEALED && !shuffles.values().stream().allMatch(MovingShuffle::isReady)) {
      // A shuffle was added shortly before the seal, or a target was lost. Accept pushes again:
      // there
      // may be no other server to push to.
      seal.unseal();
      state = State.COPYING;
    }
    if (state == State.SEALED
        && shuffles.values().stream().allMatch(shuffle -> shuffle.isFinished(seals))) {
      state = State.DONE;
    }
  }

  private void updateShuffles(Consumer<MovingShuffle> onNew) {
    shuffles.values().removeIf(one -> store.find(one.key()) != one.log());
    for (ShuffleLog log : store.logs()) {
      if (log.isWritten() && !shuffles.containsKey(log.key())) {
        MovingShuffle moving = begin.apply(log);
        shuffles.put(log.key(), moving);
        onNew.accept(moving);
      }
    }
  }

  /** Whether a shuffle needs more steps, possibly only to check its target. */
  boolean needsSteps(MovingShuffle one) {
    return state != State.DONE && shuffles.get(one.key()) == one;
  }

  /** Number of the current seal, from 1 on; 0: the server accepts pushes. */
  int currentSeal() {
    return state == State.COPYING ? 0 : seals;
  }

  boolean isDone() {
    return state == State.DONE;
  }

  /** Stops the move; the server accepts pushes again. Idempotent. */
  synchronized void stop() {
    seal.unseal();
  }

  void applied(ShuffleMove move) {
    MovingShuffle moving =
        shuffles.get(
            new ShuffleKey(move.getShuffle().getApplication(), move.getShuffle().getShuffle()));
    if (moving != null) {
      moving.applied(move);
    }
  }

  Collection<MovingShuffle> shuffles() {
    return shuffles.values();
  }
}
