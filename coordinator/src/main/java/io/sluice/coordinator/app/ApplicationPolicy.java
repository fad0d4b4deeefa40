package io.sluice.coordinator.app;

/**
 * The operator's rules about applications. They bound what the coordinator holds: an application
 * takes about 500 bytes and 8 for each remembered shuffle.
 *
 * @param leaseMs how long an application lives without a sign of life
 * @param toldLeaseMs what drivers are told of it; shorter for a while when it has been made shorter
 * @param maxApplications most live applications
 * @param endedRememberedMs how long an ended application is remembered, so that every server learns
 *     of its end
 * @param maxEndedRemembered most ended applications that are remembered
 * @param shufflesRemembered most shuffles that are remembered of one application
 */
public record ApplicationPolicy(
    long leaseMs,
    long toldLeaseMs,
    int maxApplications,
    long endedRememberedMs,
    int maxEndedRemembered,
    int shufflesRemembered) {

  /** With a lease that drivers know. */
  public ApplicationPolicy(
      long leaseMs,
      int maxApplications,
      long endedRememberedMs,
      int maxEndedRemembered,
      int shufflesRemembered) {
    this(
        leaseMs,
        leaseMs,
        maxApplications,
        endedRememberedMs,
        maxEndedRemembered,
        shufflesRemembered);
  }

  /** The same for drivers, which have this time all the same. */
  public ApplicationPolicy heldTo(long otherLeaseMs) {
    return new ApplicationPolicy(
        otherLeaseMs,
        toldLeaseMs,
        maxApplications,
        endedRememberedMs,
        maxEndedRemembered,
        shufflesRemembered);
  }
}
