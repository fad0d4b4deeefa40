package io.sluice.coordinator.assign;

import io.sluice.coordinator.cluster.Server;
import io.sluice.proto.ServerId;
import io.sluice.proto.ServerLoad;
import io.sluice.proto.ServerState;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * A cluster that is given one shuffle after the other and keeps their bytes. Single-threaded and seeded: the same set-up gives the same figures.
 *
 * <p>Each shuffle has 200 partitions of equal size and a total size drawn from a Zipf law, which the coordinator does not know when it assigns. The
 * bytes arrive at once; a server's heartbeat reports them as used disk. Heartbeats are spread evenly: between two of one server, {@code
 * shufflesBetweenHeartbeats} shuffles are assigned.
 */
final class BalanceSimulation {
  static final int SERVERS = 100;
  static final int PARTITIONS = 200;

  /**
   * One experiment.
   *
   * @param maxServersPerShuffle over how many servers a shuffle is spread
   * @param zipfExponent sizes are {@code k = 1..zipfMax} with a probability proportional to {@code k^-zipfExponent}; 0 with a zipfMax of 1: all equal
   */
  record Setup(StrategyKind strategy, int shuffles, int maxServersPerShuffle, int shufflesBetweenHeartbeats, double zipfExponent, int zipfMax, long seed) {
    Setup with(StrategyKind other) {
      return new Setup(other, shuffles, maxServersPerShuffle, shufflesBetweenHeartbeats, zipfExponent, zipfMax, seed);
    }
  }

  /**
   * What came of it.
   *
   * @param bytesByServer in units of the smallest shuffle
   * @param maxOverMean after each tenth of the shuffles
   * @param gap fullest server above the mean, after each tenth, in units of the mean size of one server's part of a shuffle
   */
  record Outcome(double[] bytesByServer, double[] maxOverMean, double[] gap) {
    double finalMaxOverMean() {
      return maxOverMean[maxOverMean.length - 1];
    }
  }

  private final Setup setup;
  private final RandomGenerator random;
  private final double[] sizeLaw;
  private final double[] bytes = new double[SERVERS];
  private final Server[] servers = new Server[SERVERS];
  private final double meanSize;
  private final long capacityBytes;

  BalanceSimulation(Setup setup) {
    this.setup = setup;
    this.random = new SplittableRandom(setup.seed());
    this.sizeLaw = new double[setup.zipfMax()];
    double sum = 0;
    double weighted = 0;
    for (int k = 1; k <= setup.zipfMax(); k++) {
      double weight = Math.pow(k, -setup.zipfExponent());
      sum += weight;
      weighted += k * weight;
      sizeLaw[k - 1] = sum;
    }
    for (int k = 0; k < sizeLaw.length; k++) {
      sizeLaw[k] /= sum;
    }
    meanSize = weighted / sum;
    // At the end the disks are about half full.
    capacityBytes = (long) Math.ceil(2 * meanSize * setup.shuffles() / SERVERS) * SCALE;
    for (int i = 0; i < SERVERS; i++) {
      servers[i] =
          new Server(
              ServerId.newBuilder().setName("s" + i + ":1").setHost("s" + i).setRpcPort(1).setEpoch(1).build(),
              ServerState.ACTIVE,
              load(0),
              List.of(),
              0,
              Server.Liveness.HEARD,
              0,
              0);
    }
  }

  /** Bytes of one unit of size: large, so that rounding to whole bytes does not matter. */
  private static final long SCALE = 1 << 20;

  Outcome run() {
    AssignmentPlanner.PB = F * meanSize * SCALE / PARTITIONS;
    AssignmentPlanner planner = new AssignmentPlanner(new AssignmentPolicy(setup.strategy(), HostRule.PREFER_DIFF, setup.maxServersPerShuffle(), 1));
    double[] maxOverMean = new double[10];
    double[] gap = new double[10];
    double heartbeatsDue = 0;
    int nextHeartbeat = 0;
    for (int shuffle = 0; shuffle < setup.shuffles(); shuffle++) {
      double size = drawSize();
      Assignment assignment =
          planner.plan(new AssignmentPlanner.Request(PARTITIONS, 1, Integer.MAX_VALUE), Arrays.asList(servers), shuffle, random);
      for (Assignment.Range range : assignment.ranges()) {
        int server = indexOf(assignment.servers().get(range.servers().get(0)));
        bytes[server] += size * range.length() / PARTITIONS;
        servers[server] = servers[server].assigned(range.length());
      }
      heartbeatsDue += SERVERS / (double) setup.shufflesBetweenHeartbeats();
      for (; heartbeatsDue >= 1; heartbeatsDue--) {
        Server server = servers[nextHeartbeat];
        servers[nextHeartbeat] = server.heartbeat(server.id(), ServerState.ACTIVE, load(bytes[nextHeartbeat]), List.of(), shuffle);
        nextHeartbeat = (nextHeartbeat + 1) % SERVERS;
      }
      if ((shuffle + 1) % (setup.shuffles() / 10) == 0) {
        double mean = Arrays.stream(bytes).sum() / SERVERS;
        double max = Arrays.stream(bytes).max().orElseThrow();
        int tenth = (shuffle + 1) / (setup.shuffles() / 10) - 1;
        maxOverMean[tenth] = max / mean;
        gap[tenth] = (max - mean) / (meanSize / setup.maxServersPerShuffle());
      }
    }
    return new Outcome(bytes.clone(), maxOverMean, gap);
  }

  private double drawSize() {
    int at = Arrays.binarySearch(sizeLaw, random.nextDouble());
    return Math.min(sizeLaw.length, (at < 0 ? -at - 1 : at) + 1);
  }

  private ServerLoad load(double units) {
    return ServerLoad.newBuilder().setMemoryCapacityBytes(capacityBytes).setMemoryUsedBytes((long) (units * SCALE)).setStoredBytes((long) (units * SCALE))
        .build();
  }

  private static int indexOf(Server server) {
    return Integer.parseInt(server.id().getHost().substring(1));
  }

  static double F=1;
  public static void main(String[] args) {
    F=Double.parseDouble(args[0]);for (int hb : new int[] {1, 10, 100, 1000})
      for (StrategyKind k : List.of(StrategyKind.PARTITION_BALANCE, StrategyKind.BASIC)) {
        Outcome z = new BalanceSimulation(new Setup(k, 10000, 9, hb, 1.2, 1000, 1)).run();
        Outcome u = new BalanceSimulation(new Setup(k, 10000, 9, hb, 0, 1, 1)).run();
        Outcome u1 = new BalanceSimulation(new Setup(k, 10000, 1, hb, 0, 1, 1)).run();
        System.out.printf("%5d %-18s zipf %.3f gap %.1f | unit k=9 %.3f gap %.2f %.2f| unit k=1 %.3f gap %.2f %.2f%n", hb, k, z.finalMaxOverMean(), z.gap()[9],
            u.finalMaxOverMean(), u.gap()[4], u.gap()[9], u1.finalMaxOverMean(), u1.gap()[4], u1.gap()[9]);
      }
  }
}
