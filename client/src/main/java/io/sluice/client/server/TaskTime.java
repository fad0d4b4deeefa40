package io.sluice.client.server;

import java.util.function.Consumer;

/**
 * Clock of tasks, and the source of mailboxes that wait by it: real, or virtual in a simulation.
 * Thread-safe.
 */
public interface TaskTime {
  /** Real time. */
  TaskTime SYSTEM =
      new TaskTime() {
        @Override
        public long nanoTime() {
          return System.nanoTime();
        }

        @Override
        public <E> Mailbox<E> mailbox(Consumer<E> disposal) {
          return new SystemMailbox<>(disposal);
        }
      };

  /** Monotonic time, as {@link System#nanoTime}. */
  long nanoTime();

  /**
   * Returns a mailbox whose owner waits by this clock.
   *
   * @param disposal frees the buffers of an event that no task handles
   */
  <E> Mailbox<E> mailbox(Consumer<E> disposal);
}
