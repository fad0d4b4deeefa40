package io.sluice.it.faults;

import static io.sluice.it.faults.Point.IN_MAP;
import static io.sluice.it.faults.Point.IN_READ;
import static io.sluice.it.faults.Point.MAPPED;
import static io.sluice.it.faults.Point.REGISTERED;

import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Collectors;

/** What goes wrong, and at which points of a shuffle. */
enum Fault {
  NONE(Map.of()),
  SERVER_LOST_BEFORE_MAPS(Map.of(REGISTERED, Breakage::loseServer)),
  SERVER_LOST_DURING_MAPS(Map.of(IN_MAP, Breakage::loseServer)),
  SERVER_LOST_AFTER_MAPS(Map.of(MAPPED, Breakage::loseServer)),
  SERVER_LOST_DURING_READ(Map.of(IN_READ, Breakage::loseServer)),
  ALL_SERVERS_LOST_BEFORE_MAPS(Map.of(REGISTERED, Breakage::loseAllServers)),
  ALL_SERVERS_LOST_DURING_MAPS(Map.of(IN_MAP, Breakage::loseAllServers)),
  SERVER_RESTARTED_DURING_MAPS(Map.of(IN_MAP, Breakage::restartServer)),
  SERVER_CRASHED_AND_BACK_DURING_MAPS(Map.of(IN_MAP, Breakage::crashAndStartServer)),
  SERVER_STALLED_DURING_MAPS(Map.of(IN_MAP, Breakage::stallServer, MAPPED, Breakage::resumeServer)),
  SERVER_STALLED_DURING_READ(Map.of(IN_READ, Breakage::stallServerBriefly)),
  COORDINATOR_LOST(Map.of(REGISTERED, Breakage::loseCoordinator)),
  COORDINATOR_AND_SERVER_LOST(
      Map.of(REGISTERED, Breakage::loseCoordinator, IN_MAP, Breakage::loseServer)),
  LINK_CUT_DURING_MAPS(Map.of(IN_MAP, Breakage::cutLink, MAPPED, Breakage::mendLink)),
  LINK_CUT_FOR_GOOD(Map.of(IN_MAP, Breakage::cutLink)),
  EXECUTOR_LOST_DURING_MAPS(Map.of(IN_MAP, Breakage::loseExecutor)),
  EXECUTOR_LOST_AFTER_MAPS(Map.of(MAPPED, Breakage::loseExecutor)),
  /** Everything lies on executors, and one of them goes. */
  EXECUTOR_WITH_LOCAL_OUTPUT_LOST(
      Map.of(REGISTERED, Breakage::loseAllServers, MAPPED, Breakage::loseExecutor));

  /** Done to a running application. */
  interface Strike {
    void at(Breakage breakage) throws IOException, InterruptedException;
  }

  @SuppressWarnings("ImmutableEnumChecker") // Made once, and only read.
  private final Map<Point, Strike> strikes;

  Fault(Map<Point, Strike> strikes) {
    this.strikes = strikes.isEmpty() ? Map.of() : new EnumMap<>(strikes);
  }

  Map<Point, Strike> strikes() {
    return strikes;
  }

  /** The job's name for the driver: it stops only where something is to happen. */
  String job() {
    String points = strikes.keySet().stream().map(Point::text).collect(Collectors.joining(","));
    return "faults/" + name() + (points.isEmpty() ? "" : "@" + points);
  }
}
