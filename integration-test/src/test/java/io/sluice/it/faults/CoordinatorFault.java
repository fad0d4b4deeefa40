package io.sluice.it.faults;

import java.io.IOException;

/** Faults of coordinators, which {@link CoordinatorFaults} injects. */
enum CoordinatorFault {
  NONE(faults -> {}, false),
  FOLLOWER_KILLED(CoordinatorFaults::killFollower, true),
  LEADER_KILLED(CoordinatorFaults::killLeader, true),
  LEADER_SUSPENDED(CoordinatorFaults::suspendLeader, true),
  /** Coordinators do not reach the leader, nor it them; servers and drivers reach all. */
  LEADER_CUT_OFF(CoordinatorFaults::cutLeaderOff, true),
  /** No process reaches the leader, and it reaches none. */
  LEADER_ISOLATED(CoordinatorFaults::isolateLeader, true),
  /** Servers and drivers reach only followers, for longer than the timeout of heartbeats. */
  CLIENTS_CUT_OFF(CoordinatorFaults::cutClientsOff, false),
  FOLLOWER_DISK_FULL(CoordinatorFaults::fillDiskOfFollower, true),
  LEADER_DISK_FULL(CoordinatorFaults::fillDiskOfLeader, true),
  /** A follower that was killed does not start, because its log is damaged. */
  FOLLOWER_LOG_DAMAGED(CoordinatorFaults::damageLogOfFollower, true);

  /** Injection into a running cluster. */
  interface Injection {
    void at(CoordinatorFaults faults) throws IOException, InterruptedException;
  }

  @SuppressWarnings("ImmutableEnumChecker") // Without state.
  private final Injection injection;

  private final boolean costsMember;

  CoordinatorFault(Injection injection, boolean costsMember) {
    this.injection = injection;
    this.costsMember = costsMember;
  }

  void inject(CoordinatorFaults faults) throws IOException, InterruptedException {
    injection.at(faults);
  }

  /** Whether a coordinator does not vote during the fault, so that two have no majority. */
  boolean costsMember() {
    return costsMember;
  }
}
