package io.sluice.client.server;

import java.io.IOException;

/**
 * A state machine that a {@link TaskLoop} drives: it never waits, and learns the time from its
 * caller. Belongs to one thread.
 *
 * @param <E> events that change its state
 */
public interface TaskMachine<E> {
  /**
   * @param event takes
   */
  void on(E event, long now) throws IOException;

  /** Does everything that can be done now: sends requests, and ends what is overdue. */
  void advance(long now) throws IOException;

  /**
   * Nanoseconds until {@link #advance} has something to do although no event has arrived; at most 0
   * if it has already; {@link Long#MAX_VALUE} if only an event can change that.
   */
  long dueInNanos(long now);

  /** Maximum wait for an event, in nanoseconds; {@link #timedOut} is called at its end. */
  long timeoutNanos();

  /** No event has arrived within {@link #timeoutNanos}, and nothing was due. */
  void timedOut(long now) throws IOException;
}
