package io.sluice.client.server;

/**
 * Hands events from transport threads to the task thread that owns the mailbox. After {@link
 * #close} nothing is kept: an event that comes later is disposed of at once. Bounded by the
 * requests in flight. {@link #put} is thread-safe; the other methods belong to the task thread.
 */
public interface Mailbox<E> extends AutoCloseable {
  /**
   * @param event takes
   */
  void put(E event);

  /** Returns owned: the next event, or null if there is none. Never waits. */
  E poll();

  /**
   * Returns owned: the next event, or null if none arrives in time.
   *
   * @param nanos maximum wait in nanoseconds
   */
  E poll(long nanos) throws InterruptedException;

  /** Disposes of the events that are left. Idempotent. */
  @Override
  void close();
}
