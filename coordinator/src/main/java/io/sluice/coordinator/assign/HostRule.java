package io.sluice.coordinator.assign;

/** How the copies of a partition spread over hosts. They are on distinct servers in any case. */
public enum HostRule {
  /** Distinct hosts while there are enough, else distinct servers. */
  PREFER_DIFF,
  /** Distinct hosts; fewer copies where there are not enough. */
  MUST_DIFF,
  /** Hosts do not matter. */
  NONE
}
