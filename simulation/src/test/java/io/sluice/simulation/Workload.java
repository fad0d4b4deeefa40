package io.sluice.simulation;

/**
 * What a schedule does that its seed does not decide. The seeds of another workload are other
 * schedules.
 *
 * @param heartbeatMs interval of the heartbeats of servers, in milliseconds
 * @param moreMaps map tasks of each stage beyond those that the seed decides
 */
record Workload(long heartbeatMs, int moreMaps) {
  /** The workload of each build. */
  static final Workload USUAL = new Workload(1_000, 0);

  private static final String HEARTBEAT = "sluice.simulation.heartbeat.ms";
  private static final String MAPS = "sluice.simulation.maps";

  /**
   * Reads the system properties {@code sluice.simulation.heartbeat.ms} and {@code
   * sluice.simulation.maps}.
   */
  static Workload ofProperties() {
    return new Workload(
        Long.getLong(HEARTBEAT, USUAL.heartbeatMs()), Integer.getInteger(MAPS, USUAL.moreMaps()));
  }

  /** The arguments of a command that runs this workload, each after a space. */
  String arguments() {
    StringBuilder arguments = new StringBuilder();
    if (heartbeatMs != USUAL.heartbeatMs()) {
      arguments.append(" -D").append(HEARTBEAT).append('=').append(heartbeatMs);
    }
    if (moreMaps != USUAL.moreMaps()) {
      arguments.append(" -D").append(MAPS).append('=').append(moreMaps);
    }
    return arguments.toString();
  }
}
