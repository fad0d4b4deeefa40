package io.sluice.common.auth;

import java.util.Optional;

/** Role of a process of the cluster, which its certificate proves. */
public enum ProcessRole {
  COORDINATOR("sluice-coordinator"),
  SERVER("sluice-server");

  private final String unit;

  ProcessRole(String unit) {
    this.unit = unit;
  }

  /** Organizational unit in the subjects of certificates. */
  public String unit() {
    return unit;
  }

  /** For messages. */
  public String text() {
    return this == COORDINATOR ? "coordinator" : "server";
  }

  static Optional<ProcessRole> ofUnit(String unit) {
    for (ProcessRole role : values()) {
      if (role.unit.equals(unit)) {
        return Optional.of(role);
      }
    }
    return Optional.empty();
  }
}
