package io.sluice.client.read;

/** Where an engine counts the slices of a read as memory of its task. Used by the task thread. */
@FunctionalInterface
public interface SliceMemory {
  /** For an engine that does not count them. */
  SliceMemory UNCOUNTED = heldBytes -> heldBytes;

  /**
   * Counts what a read holds.
   *
   * @param heldBytes of all slices on their way or here
   * @return bytes that the engine grants; with less than is held, the read fetches nothing more
   *     until it has released slices
   */
  long account(long heldBytes);
}
