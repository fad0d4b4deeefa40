package io.sluice.transport.server;

import io.netty.buffer.ByteBuf;

/**
 * Memory for received frame bodies. Admission: memory is reserved after the frame header, before a
 * byte of the body is read. Thread-safe; never blocks.
 */
public interface BodyMemory {
  /**
   * Allocates memory for a body of {@code length} bytes. Returns null if the budget is used up; the
   * caller then stops reading from its connection and calls {@link #whenAvailable}.
   *
   * @return owned by the caller; capacity and writable bytes are {@code length}, writer index 0;
   *     may be a composite of slabs. Its last release returns the slabs to the arena
   * @throws IllegalArgumentException if {@code length} exceeds the maximum
   */
  ByteBuf tryAllocate(String application, int length);

  /**
   * Runs {@code retry} once when {@code length} bytes may be available for {@code application}, in
   * fair order among applications. It is called on the thread that freed memory and must only
   * schedule a task on the connection's event loop. The call does not reserve memory: the retry may
   * fail, and is then queued again at the front of its application's queue.
   *
   * @return cancels the wait (for closed connections); idempotent
   */
  Runnable whenAvailable(String application, int length, Runnable retry);

  /** Share of the budget in use, 0..1000. */
  int usedPermille();
}
