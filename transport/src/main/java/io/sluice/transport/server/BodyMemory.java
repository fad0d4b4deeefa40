package io.sluice.transport.server;

import io.netty.buffer.ByteBuf;

/**
 * Where frame bodies are received into. Admission happens here, at the frame header, before a byte
 * of the body is read. Thread-safe; never blocks.
 */
public interface BodyMemory {
  /**
   * Memory for a body of {@code length} bytes, or null when the budget is spent: then nothing was
   * taken, and the caller stops reading from its connection and asks {@link #whenAvailable}.
   *
   * @return owned by the caller: capacity and writable bytes are {@code length}, writer index 0;
   *     may be a composite of slabs. Its last release gives the slabs back to the arena
   * @throws IllegalArgumentException if {@code length} could never be admitted
   */
  ByteBuf tryAllocate(String application, int length);

  /**
   * Runs {@code retry} once when {@code length} bytes may be had by {@code application}, in fair
   * order among applications. The runnable is called on the thread that freed memory and must only
   * hand over to the connection's own event loop; memory is not reserved by the call, so the retry
   * may be refused again and is then queued again, at the front of its application's turn.
   *
   * @return cancels the wait (a connection that closed); idempotent
   */
  Runnable whenAvailable(String application, int length, Runnable retry);

  /** Share of the budget in use, 0..1000. */
  int usedPermille();
}
