package io.sluice.it.hostile;

/** Something that peers do to a cluster. */
@FunctionalInterface
interface Attack {
  /**
   * Does it, until nothing worse can come of it, within bounds of count and time. What the cluster
   * says to it may be asserted here.
   *
   * @return what is still open and held; closed after the cluster has been looked at
   */
  AutoCloseable launch(Target target) throws Exception;

  /** For an attack that leaves nothing open. */
  AutoCloseable NOTHING_HELD = () -> {};
}
