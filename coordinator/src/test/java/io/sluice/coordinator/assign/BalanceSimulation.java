package io.sluice.coordinator.assign;

import io.sluice.coordinator.cluster.Server;
import io.sluice.proto.ServerId;
import io.sluice.proto.ServerLoad;
import io.sluice.proto.ServerState;
import io.sluice.proto.StoredData;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * A cluster of 100 servers that assigns one shuffle after the other and keeps all bytes. One
 * thread, seeded: deterministic.
 *
 * <p>Each shuffle has 200 partitions of equal size and a total size drawn from a Zipf law, which
 * the planner does not know. Its bytes arrive {@code arrivalDelay} shuffles after it was assigned.
 * Between two heartbeats of one server, {@code shufflesBetweenHeartbeats} shuffles are assigned;
 * servers report in turn.
 */
final class BalanceSimulation {
  static final int SERVERS = 100;
  private static final int PARTITIONS = 200;

  /** Bytes of the smallest shuffle. */
  private static final long UNIT_BYTES = 1 << 20;

  /**
   * Sizes of shuffles: {@code k = 1..max} units with a probability proportional to {@code
   * k^-exponent}. A max of 1 makes all shuffles equal.
   */
  record Zipf(double exponent, int max) {
    static final Zipf EQUAL = new Zipf(0, 1);
  }

  /**
   * Parameters of a simulation.
   *
   * @param zones number of zones with the same number of servers
   * @param replicas replicas of each partition
   */
  record Setup(
      StrategyKind strategy,
      int shuffles,
      int maxServersPerShuffle,
      int shufflesBetweenHeartbeats,
      int arrivalDelay,
      Zipf sizes,
      int zones,
      int replicas,
      long seed) {
    /** One zone, and no copies. */
    Setup(
        StrategyKind strategy,
        int shuffles,
        int maxServersPerShuffle,
        int shufflesBetweenHeartbeats,
        int arrivalDelay,
        Zipf sizes,
        long seed) {
      this(
          strategy,
          shuffles,
          maxServersPerShuffle,
          shufflesBetweenHeartbeats,
          arrivalDelay,
          sizes,
          1,
          1,
          seed);
    }

    Setup with(StrategyKind other) {
      return new Setup(
          other,
          shuffles,
          maxServersPerShuffle,
          shufflesBetweenHeartbeats,
          arrivalDelay,
          sizes,
          zones,
          replicas,
          seed);
    }

    Setup in(int otherZones, int otherReplicas) {
      return new Setup(
          strategy,
          shuffles,
          maxServersPerShuffle,
          shufflesBetweenHeartbeats,
          arrivalDelay,
          sizes,
          otherZones,
          otherReplicas,
          seed);
    }
  }

  /**
   * Result of a simulation.
   *
   * @param sortedUnits units on each server, the fullest first
   * @param maxOverMean fullest server over the mean, after each tenth of the shuffles
   * @param gapInParts fullest server above the mean, after each tenth, in parts: a part is the data
   *     of an average shuffle on one server
   * @param largestPart data of the largest possible shuffle on one server, in parts
   */
  record Outcome(
      List<Double> sortedUnits,
      List<Double> maxOverMean,
      List<Double> gapInParts,
      double largestPart) {
    double finalMaxOverMean() {
      return maxOverMean.get(maxOverMean.size() - 1);
    }

    double largestGapInParts() {
      return Collections.max(gapInParts);
    }

    double finalGapInParts() {
      return gapInParts.get(gapInParts.size() - 1);
    }
  }

  private record Arrival(int dueAt, Assignment assignment, double units) {}

  private final Setup setup;
  private final RandomGenerator random;
  private final double[] cumulative;
  private final double meanUnits;
  private final long capacityBytes;
  private final double[] assignedUnits = new double[SERVERS];
  private final double[] arrivedUnits = new double[SERVERS];
  private final double[] reportedUnits = new double[SERVERS];
  private final Server[] servers = new Server[SERVERS];
  private final Deque<Arrival> arrivals = new ArrayDeque<>();
  private PartitionSize partitionSize = PartitionSize.UNKNOWN;

  BalanceSimulation(Setup setup) {
    this.setup = setup;
    this.random = new SplittableRandom(setup.seed());
    this.cumulative = new double[setup.sizes().max()];
    double weights = 0;
    double weighted = 0;
    for (int k = 1; k <= cumulative.length; k++) {
      double weight = Math.pow(k, -setup.sizes().exponent());
      weights += weight;
      weighted += k * weight;
      cumulative[k - 1] = weights;
    }
    for (int k = 0; k < cumulative.length; k++) {
      cumulative[k] /= weights;
    }
    this.meanUnits = weighted / weights;
    // At the end the servers are about half full.
    this.capacityBytes =
        Math.round(2 * meanUnits * setup.replicas() * setup.shuffles() / SERVERS * UNIT_BYTES);
    for (int i = 0; i < SERVERS; i++) {
      ServerId id =
          ServerId.newBuilder()
              .setName("s" + i)
              .setHost("s" + i)
              .setRpcPort(1)
              .setEpoch(1)
              .setZone("z" + i % setup.zones())
              .build();
      servers[i] =
          Server.reporting(
              id, ServerState.ACTIVE, load(0), StoredData.getDefaultInstance(), List.of(), 0);
    }
  }

  Outcome run() {
    AssignmentPlanner planner =
        new AssignmentPlanner(
            new AssignmentConfig(HostRule.PREFER_DIFF, setup.maxServersPerShuffle(), 1),
            setup.strategy()::start);
    int tenth = setup.shuffles() / 10;
    List<Double> maxOverMean = new ArrayList<>();
    List<Double> gapInParts = new ArrayList<>();
    double partUnits = meanUnits * setup.replicas() / setup.maxServersPerShuffle();
    double heartbeatsDue = 0;
    int reporting = 0;
    for (int shuffle = 0; shuffle < setup.shuffles(); shuffle++) {
      assign(planner, shuffle);
      arrive(shuffle);
      heartbeatsDue += SERVERS / (double) setup.shufflesBetweenHeartbeats();
      for (; heartbeatsDue >= 1; heartbeatsDue--) {
        heartbeat(reporting);
        reporting = (reporting + 1) % SERVERS;
      }
      if ((shuffle + 1) % tenth == 0) {
        double mean = Arrays.stream(assignedUnits).sum() / SERVERS;
        double max = Arrays.stream(assignedUnits).max().orElseThrow();
        maxOverMean.add(max / mean);
        gapInParts.add((max - mean) / partUnits);
      }
    }
    List<Double> sorted =
        Arrays.stream(assignedUnits).boxed().sorted(Collections.reverseOrder()).toList();
    return new Outcome(sorted, maxOverMean, gapInParts, setup.sizes().max() / meanUnits);
  }

  private void assign(AssignmentPlanner planner, int shuffle) {
    double units = drawUnits();
    Assignment assignment =
        planner.plan(
            new AssignmentPlanner.Request(
                PARTITIONS, setup.replicas(), Integer.MAX_VALUE, partitionSize.expectedBytes()),
            Arrays.asList(servers),
            random);
    for (Assignment.Range range : assignment.ranges()) {
      for (int position : range.servers()) {
        int server = serverOf(assignment, position);
        servers[server] = servers[server].assigned(range.length());
        assignedUnits[server] += units * range.length() / PARTITIONS;
      }
    }
    arrivals.add(new Arrival(shuffle + setup.arrivalDelay(), assignment, units));
  }

  private void arrive(int shuffle) {
    while (!arrivals.isEmpty() && arrivals.peek().dueAt() <= shuffle) {
      Arrival arrival = arrivals.remove();
      for (Assignment.Range range : arrival.assignment().ranges()) {
        for (int position : range.servers()) {
          arrivedUnits[serverOf(arrival.assignment(), position)] +=
              arrival.units() * range.length() / PARTITIONS;
        }
      }
    }
  }

  private void heartbeat(int index) {
    Server server = servers[index];
    partitionSize =
        partitionSize.observed(
            (arrivedUnits[index] - reportedUnits[index]) * UNIT_BYTES,
            server.assignedSinceHeartbeat());
    reportedUnits[index] = arrivedUnits[index];
    servers[index] =
        Server.reporting(
            server.id(),
            ServerState.ACTIVE,
            load(arrivedUnits[index]),
            StoredData.getDefaultInstance(),
            List.of(),
            0);
  }

  private double drawUnits() {
    int at = Arrays.binarySearch(cumulative, random.nextDouble());
    return Math.min(cumulative.length, (at < 0 ? -at - 1 : at) + 1);
  }

  private ServerLoad load(double units) {
    return ServerLoad.newBuilder()
        .setMemoryCapacityBytes(capacityBytes)
        .setMemoryUsedBytes((long) (units * UNIT_BYTES))
        .build();
  }

  private static int serverOf(Assignment assignment, int position) {
    return Integer.parseInt(assignment.servers().get(position).name().substring(1));
  }
}
