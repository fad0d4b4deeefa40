package io.sluice.it.faults;

import static io.sluice.it.faults.Point.IN_MAP;
import static io.sluice.it.faults.Point.IN_READ;
import static io.sluice.it.faults.Point.MAPPED;
import static io.sluice.it.faults.Point.REGISTERED;

import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Collectors;

/** Faults, with the points of a shuffle at which they are injected. */
enum Fault {
  NONE(Map.of()),
  SERVER_LOST_BEFORE_MAPS(Map.of(REGISTERED, FaultInjector::loseServer)),
  SERVER_LOST_DURING_MAPS(Map.of(IN_MAP, FaultInjector::loseServer)),
  SERVER_LOST_AFTER_MAPS(Map.of(MAPPED, FaultInjector::loseServer)),
  SERVER_LOST_DURING_READ(Map.of(IN_READ, FaultInjector::loseServer)),
  ALL_SERVERS_LOST_BEFORE_MAPS(Map.of(REGISTERED, FaultInjector::loseAllServers)),
  ALL_SERVERS_LOST_DURING_MAPS(Map.of(IN_MAP, FaultInjector::loseAllServers)),
  SERVER_RESTARTED_DURING_MAPS(Map.of(IN_MAP, FaultInjector::restartServer)),
  SERVER_CRASHED_AND_BACK_DURING_MAPS(Map.of(IN_MAP, FaultInjector::crashAndStartServer)),
  SERVER_STALLED_DURING_MAPS(
      Map.of(IN_MAP, FaultInjector::stallServer, MAPPED, FaultInjector::resumeServer)),
  SERVER_STALLED_DURING_READ(Map.of(IN_READ, FaultInjector::stallServerBriefly)),
  COORDINATOR_LOST(Map.of(REGISTERED, FaultInjector::loseCoordinator)),
  COORDINATOR_AND_SERVER_LOST(
      Map.of(REGISTERED, FaultInjector::loseCoordinator, IN_MAP, FaultInjector::loseServer)),
  LINK_CUT_DURING_MAPS(Map.of(IN_MAP, FaultInjector::cutLink, MAPPED, FaultInjector::mendLink)),
  LINK_CUT_FOR_GOOD(Map.of(IN_MAP, FaultInjector::cutLink)),
  EXECUTOR_LOST_DURING_MAPS(Map.of(IN_MAP, FaultInjector::loseExecutor)),
  EXECUTOR_LOST_AFTER_MAPS(Map.of(MAPPED, FaultInjector::loseExecutor)),
  /** All output is on executors, and one of them is lost. */
  EXECUTOR_WITH_LOCAL_OUTPUT_LOST(
      Map.of(REGISTERED, FaultInjector::loseAllServers, MAPPED, FaultInjector::loseExecutor));

  /** Injection into a running application. */
  interface Injection {
    void at(FaultInjector breakage) throws IOException, InterruptedException;
  }

  @SuppressWarnings("ImmutableEnumChecker") // Never modified after construction.
  private final Map<Point, Injection> injections;

  Fault(Map<Point, Injection> injections) {
    this.injections = injections.isEmpty() ? Map.of() : new EnumMap<>(injections);
  }

  Map<Point, Injection> injections() {
    return injections;
  }

  /** Name of the job, which pauses only at the points of this fault. */
  String job() {
    String points = injections.keySet().stream().map(Point::text).collect(Collectors.joining(","));
    return "faults/" + name() + (points.isEmpty() ? "" : "@" + points);
  }
}
