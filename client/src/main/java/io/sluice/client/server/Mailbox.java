package io.sluice.client.server;

/**
 * Queue of events from transport threads to the task thread that owns it. An event that arrives
 * after {@link #close} is disposed of at once. The number of requests in flight bounds its length.
 * {@link #put} is thread-safe; only the task thread calls the other methods.
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

  /** Disposes of all queued events. Idempotent. */
  @Override
  void close();
}
