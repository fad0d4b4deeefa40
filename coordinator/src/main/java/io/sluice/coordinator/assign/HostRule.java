package io.sluice.coordinator.assign;

/** Rule for the hosts of the replicas of a partition. Replicas are always on distinct servers. */
public enum HostRule {
  /** Distinct hosts if there are enough; otherwise distinct servers. */
  PREFER_DIFF,
  /** Distinct hosts; fewer replicas if there are too few hosts. */
  MUST_DIFF,
  /** Any hosts. */
  NONE
}
