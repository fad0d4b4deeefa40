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
 * Moves everything that a server holds.
 *
 * <p>States: {@code COPYING <-> SEALED -> DONE}. While it copies, the server serves and takes what
 * it was assigned. Once every shuffle is ready it is sealed; then each gets a last pass. What
 * cannot be moved keeps it copying until that is forgotten.
 *
 * <p>Thread-safe. {@link #look} finds out how far it is; steps of different shuffles may run at the
 * same time.
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
  // Guarded by this; read without.
  private volatile State state = State.COPYING;

  /**
   * @param begin makes the move of a shuffle
   */
  MoveRun(ShuffleStore store, PushSeal seal, Function<ShuffleLog, MovingShuffle> begin) {
    this.store = store;
    this.seal = seal;
    this.begin = begin;
  }

  /**
   * Takes note of shuffles that have come and gone, and of how far the others are.
   *
   * @param onNew told of each that has come
   */
  synchronized void look(Consumer<MovingShuffle> onNew) {
    takeNote(onNew);
    if (state == State.COPYING
        && !shuffles.isEmpty()
        && shuffles.values().stream().allMatch(MovingShuffle::isReady)) {
      seal.seal();
      state = State.SEALED;
      // What came before the seal is there now, and nothing comes any more.
      takeNote(onNew);
    }
    if (state == State.SEALED && !shuffles.values().stream().allMatch(MovingShuffle::isReady)) {
      // A shuffle came at the last moment, or a target was lost: there may be nobody else to push
      // to.
      seal.unseal();
      state = State.COPYING;
      shuffles.values().forEach(MovingShuffle::reopen);
    }
    if (state == State.SEALED && shuffles.values().stream().allMatch(MovingShuffle::isFinished)) {
      state = State.DONE;
    }
  }

  private void takeNote(Consumer<MovingShuffle> onNew) {
    shuffles.values().removeIf(one -> store.find(one.key()) != one.log());
    for (ShuffleLog log : store.logs()) {
      if (log.isWritten() && !shuffles.containsKey(log.key())) {
        MovingShuffle moving = begin.apply(log);
        shuffles.put(log.key(), moving);
        onNew.accept(moving);
      }
    }
  }

  /** Whether a shuffle is to take a step now and then, be it to see that its target lives. */
  boolean concerns(MovingShuffle one) {
    return state != State.DONE && shuffles.get(one.key()) == one;
  }

  boolean isSealed() {
    return state != State.COPYING;
  }

  boolean isDone() {
    return state == State.DONE;
  }

  /** Takes what it was assigned again. Idempotent. */
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
