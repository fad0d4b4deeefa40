package io.sluice.client.server;

import java.util.function.Consumer;

/** The time in which tasks work and wait: real, or virtual in a simulation. Thread-safe. */
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
   * Makes a mailbox whose owner waits in this time.
   *
   * @param disposal frees what an event owns that no task takes
   */
  <E> Mailbox<E> mailbox(Consumer<E> disposal);
}
