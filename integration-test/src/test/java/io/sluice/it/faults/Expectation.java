package io.sluice.it.faults;

import io.sluice.it.spark.SparkVersion;

/**
 * Allowed cost of a fault.
 *
 * @param leastMaps minimum number of repeated map tasks
 * @param mostMaps maximum number of repeated map tasks
 * @param failures whether tasks may fail
 */
record Expectation(int leastMaps, int mostMaps, boolean failures) {
  static final int MAPS = 6;

  private static final Expectation NOTHING = new Expectation(0, 0, false);

  /** Running tasks are lost with their executor. */
  private static final Expectation RUNNING_TASKS = new Expectation(0, 0, true);

  /**
   * Two maps were running when the server was lost; the number of completed maps depends on the
   * executors.
   */
  private static final Expectation MAPS_SO_FAR = new Expectation(2, MAPS, true);

  private static final Expectation ALL_MAPS = new Expectation(MAPS, MAPS, true);

  /** Maps that ran on one of two executors; the test counts them. */
  private static final Expectation MAPS_OF_ONE_EXECUTOR = new Expectation(1, MAPS, true);

  /** The table of faults in {@code docs/spark.md}. */
  static Expectation of(Mode mode, Fault fault) {
    return switch (fault) {
      case NONE,
          SERVER_LOST_BEFORE_MAPS,
          ALL_SERVERS_LOST_BEFORE_MAPS,
          SERVER_RESTARTED_DURING_MAPS,
          SERVER_STALLED_DURING_MAPS,
          SERVER_STALLED_DURING_READ,
          COORDINATOR_LOST,
          LINK_CUT_DURING_MAPS ->
          NOTHING;
      // Reduce tasks behind the cut link cannot read the server.
      case LINK_CUT_FOR_GOOD -> mode == Mode.FALLBACK ? new Expectation(2, MAPS, true) : NOTHING;
      case SERVER_LOST_DURING_MAPS, COORDINATOR_AND_SERVER_LOST ->
          mode == Mode.FALLBACK ? MAPS_SO_FAR : NOTHING;
      case SERVER_LOST_AFTER_MAPS, SERVER_LOST_DURING_READ ->
          mode == Mode.FALLBACK ? ALL_MAPS : NOTHING;
      case SERVER_CRASHED_AND_BACK_DURING_MAPS -> mode == Mode.FALLBACK ? MAPS_SO_FAR : NOTHING;
      case ALL_SERVERS_LOST_DURING_MAPS ->
          switch (mode) {
            case FALLBACK -> MAPS_SO_FAR;
            case ALWAYS -> NOTHING;
            case TWO_COPIES -> throw new IllegalArgumentException("the job fails");
          };
      case EXECUTOR_LOST_DURING_MAPS ->
          // Otherwise Spark repeats finished map tasks of a running stage.
          SparkVersion.current().asksForReliableStorage()
              ? executorLost(mode)
              : new Expectation(0, MAPS, true);
      case EXECUTOR_LOST_AFTER_MAPS -> executorLost(mode);
      case EXECUTOR_WITH_LOCAL_OUTPUT_LOST -> MAPS_OF_ONE_EXECUTOR;
    };
  }

  /** Output that was not pushed, or that no server accepted, is lost with its executor. */
  private static Expectation executorLost(Mode mode) {
    return mode == Mode.TWO_COPIES ? RUNNING_TASKS : new Expectation(0, MAPS, true);
  }

  /** Whether some blocks must be on a replacement server or, without one, in local output. */
  static boolean goesAround(Mode mode, Fault fault) {
    return switch (fault) {
      case SERVER_LOST_BEFORE_MAPS,
          SERVER_LOST_DURING_MAPS,
          SERVER_LOST_AFTER_MAPS,
          ALL_SERVERS_LOST_BEFORE_MAPS,
          ALL_SERVERS_LOST_DURING_MAPS,
          SERVER_STALLED_DURING_MAPS,
          LINK_CUT_DURING_MAPS,
          LINK_CUT_FOR_GOOD,
          COORDINATOR_AND_SERVER_LOST,
          EXECUTOR_WITH_LOCAL_OUTPUT_LOST ->
          mode == Mode.FALLBACK;
      case NONE,
          SERVER_LOST_DURING_READ,
          SERVER_RESTARTED_DURING_MAPS,
          SERVER_CRASHED_AND_BACK_DURING_MAPS,
          SERVER_STALLED_DURING_READ,
          COORDINATOR_LOST,
          EXECUTOR_LOST_DURING_MAPS,
          EXECUTOR_LOST_AFTER_MAPS ->
          false;
    };
  }
}
