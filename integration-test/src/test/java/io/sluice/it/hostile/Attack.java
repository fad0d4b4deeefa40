package io.sluice.it.hostile;

/** An attack of peers on a cluster. */
@FunctionalInterface
interface Attack {
  /**
   * Runs the attack to its maximum effect, within limits of count and time. May assert replies of
   * the cluster.
   *
   * @return open resources, which the suite closes after it has checked the cluster
   */
  AutoCloseable launch(Target target) throws Exception;

  /** For an attack that leaves nothing open. */
  AutoCloseable NOTHING_OPEN = () -> {};
}
