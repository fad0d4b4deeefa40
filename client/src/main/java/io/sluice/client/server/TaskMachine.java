package io.sluice.client.server;

import java.io.IOException;

/**
 * A state machine that a {@link TaskLoop} runs. It never waits, and its caller passes the time.
 * Owned by one thread.
 *
 * @param <E> events that change its state
 */
public interface TaskMachine<E> {
  /**
   * @param event takes
   */
  void on(E event, long now) throws IOException;

  /** Sends all requests that may be sent now, and ends those that are overdue. */
  void advance(long now) throws IOException;

  /** The task has waited for this time, for the event that is handled next or for a due time. */
  void waited(long nanos);

  /**
   * Nanoseconds until {@link #advance} must run even if no event arrives: at most 0 if it is due
   * now, {@link Long#MAX_VALUE} if it needs an event.
   */
  long dueInNanos(long now);

  /** Maximum wait for an event, in nanoseconds; {@link #timedOut} is called at its end. */
  long timeoutNanos();

  /** No event arrived within {@link #timeoutNanos}, and {@link #advance} was not due. */
  void timedOut(long now) throws IOException;
}
