package io.sluice.client.read;

/** Accounts the slices of a read as memory of the engine's task. Called by the task thread. */
@FunctionalInterface
public interface SliceMemory {
  /** For an engine that does not account slices. */
  SliceMemory UNCOUNTED = usedBytes -> usedBytes;

  /**
   * Reports the memory of a read.
   *
   * @param usedBytes bytes of all slices in flight or in memory, and of held blocks
   * @return bytes that the engine grants; if less than {@code usedBytes}, the read fetches no more
   *     slices until it has released some
   */
  long account(long usedBytes);
}
