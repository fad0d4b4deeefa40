package io.sluice.coordinator.assign;

import io.sluice.coordinator.cluster.Server;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/**
 * Makes the assignment of one shuffle. The cost is that of choosing servers, not of partitions:
 * 20,000 partitions cost what 200 cost.
 *
 * <p>Three steps:
 *
 * <ol>
 *   <li><b>Who.</b> As many servers as the limits allow are chosen one by one with the strategy, so
 *       that over many shuffles every server gets its due.
 *   <li><b>How much each.</b> The partitions are cut into up to sixteen slices per chosen server,
 *       and each slice goes to a server by the strategy again, counting what this assignment has
 *       handed out so far. Every chosen server gets a slice before any gets two, and none gets more
 *       than a quarter above its share by count (or by size, if it is a big one): a shuffle takes
 *       as long as its busiest server, so an idle server must not be given everything.
 *   <li><b>Which.</b> Partition numbers mean nothing to balance (they are hashes, or ranges cut to
 *       equal sizes), so the slices of each set of servers are laid side by side: one contiguous
 *       range per set. A reader of neighbouring partitions meets few servers, and the reply stays
 *       small.
 * </ol>
 */
public final class AssignmentPlanner {
  /** Granularity of a server's share: a sixteenth, 6 %. */
  private static final int SLICES_PER_SERVER = 16;

  /**
   * Bounds the work of a shuffle spread over hundreds of servers; every server still gets a slice.
   */
  private static final int MAX_SLICES = 512;

  /** How far above its share a server may go within one shuffle. */
  private static final double MAX_ABOVE_SHARE = 1.25;

  /** What a driver asked for, and what its partitions will probably weigh; all at least 1. */
  public record Request(
      int partitionCount, int replicas, int maxServers, double expectedPartitionBytes) {}

  private final AssignmentConfig config;
  private final Function<RandomGenerator, AssignmentStrategy> strategies;

  public AssignmentPlanner(AssignmentConfig config) {
    this(config, TwoChoices::new);
  }

  /**
   * @param strategies makes the strategy of one assignment
   */
  AssignmentPlanner(
      AssignmentConfig config, Function<RandomGenerator, AssignmentStrategy> strategies) {
    this.config = config;
    this.strategies = strategies;
  }

  /**
   * Assigns a shuffle to some of the servers.
   *
   * @param eligible the servers that may be chosen, at least one
   */
  public Assignment plan(Request request, List<Server> eligible, RandomGenerator random) {
    return new Plan(request, eligible, random).assignment();
  }

  /** One assignment in the making; arrays are indexed as the list of eligible servers. */
  private final class Plan {
    private final Request request;
    private final List<Server> eligible;
    private final AssignmentStrategy strategy;

    private final int serverCount;
    private final int[] hosts;
    private final double[] capacityShare;
    private final double[] load;

    /** What one more partition adds to a server's load. */
    private final double[] partitionLoad;

    /** Scratch: the servers open to the next choice, and what it is picked from. */
    private final int[] open;

    private final int[] withinShare;
    private final int[] any;

    Plan(Request request, List<Server> eligible, RandomGenerator random) {
      this.request = request;
      this.eligible = eligible;
      this.serverCount = eligible.size();
      this.strategy = strategies.apply(random);
      this.hosts = hostNumbers(eligible);
      this.capacityShare = new double[serverCount];
      this.load = new double[serverCount];
      this.partitionLoad = new double[serverCount];
      this.open = new int[serverCount];
      this.withinShare = new int[serverCount];
      this.any = new int[serverCount];
      double meanCapacityBytes = LoadModel.meanMemoryCapacityBytes(eligible);
      for (int i = 0; i < serverCount; i++) {
        Server server = eligible.get(i);
        double capacityBytes = LoadModel.memoryCapacityBytes(server, meanCapacityBytes);
        capacityShare[i] = capacityBytes / (meanCapacityBytes * serverCount);
        partitionLoad[i] = request.expectedPartitionBytes() / capacityBytes;
        load[i] = LoadModel.reported(server) + server.assignedSinceHeartbeat() * partitionLoad[i];
      }
    }

    Assignment assignment() {
      int[] chosen = chooseServers();
      int replicas =
          Math.min(
              request.replicas(),
              config.hostRule() == HostRule.MUST_DIFF ? distinctHosts(chosen) : chosen.length);
      return laidOut(replicas, dealSlices(chosen, replicas));
    }

    private int[] chooseServers() {
      long copies = (long) request.partitionCount() * request.replicas();
      int limit = Math.min(config.maxServersPerShuffle(), request.maxServers());
      int count = (int) Math.min(Math.min(limit, copies), serverCount);
      int wantedHosts = config.hostRule() == HostRule.NONE ? 0 : request.replicas();
      boolean[] taken = new boolean[serverCount];
      boolean[] hostTaken = new boolean[serverCount];
      int hostCount = 0;
      int[] chosen = new int[count];
      for (int i = 0; i < count; i++) {
        int openCount = 0;
        if (hostCount < wantedHosts) {
          for (int server = 0; server < serverCount; server++) {
            if (!hostTaken[hosts[server]]) {
              open[openCount++] = server;
            }
          }
        }
        if (openCount == 0) {
          for (int server = 0; server < serverCount; server++) {
            if (!taken[server]) {
              open[openCount++] = server;
            }
          }
        }
        int server = strategy.choose(open, openCount, load);
        chosen[i] = server;
        taken[server] = true;
        if (!hostTaken[hosts[server]]) {
          hostTaken[hosts[server]] = true;
          hostCount++;
        }
      }
      return chosen;
    }

    /**
     * Deals out all slices.
     *
     * @return partitions of each set of servers; a set lists its servers in the order of the copies
     */
    private Map<List<Integer>, Integer> dealSlices(int[] chosen, int replicas) {
      int wanted = Math.max(chosen.length, Math.min(SLICES_PER_SERVER * chosen.length, MAX_SLICES));
      int slices = Math.min(request.partitionCount(), wanted);
      int[] most = mostSlices(chosen, slices * replicas);
      int[] got = new int[serverCount];
      int withoutSlice = chosen.length;
      Map<List<Integer>, Integer> partitionsBySet = new LinkedHashMap<>();
      for (int slice = 0; slice < slices; slice++) {
        int partitions =
            request.partitionCount() / slices + (slice < request.partitionCount() % slices ? 1 : 0);
        List<Integer> set = new ArrayList<>(replicas);
        while (set.size() < replicas) {
          int openCount = openFor(chosen, set, got, most, withoutSlice > 0);
          int server = strategy.choose(open, openCount, load);
          if (got[server]++ == 0) {
            withoutSlice--;
          }
          load[server] += partitions * partitionLoad[server];
          set.add(server);
        }
        partitionsBySet.merge(set, partitions, Integer::sum);
      }
      return partitionsBySet;
    }

    private int[] mostSlices(int[] chosen, int sliceCopies) {
      double capacityOfChosen = 0;
      for (int server : chosen) {
        capacityOfChosen += capacityShare[server];
      }
      int[] most = new int[serverCount];
      for (int server : chosen) {
        double share = Math.max(1.0 / chosen.length, capacityShare[server] / capacityOfChosen);
        most[server] = (int) Math.ceil(MAX_ABOVE_SHARE * share * sliceCopies);
      }
      return most;
    }

    /**
     * Fills {@link #open} with the servers that may take the next copy of a slice and returns how
     * many they are. Wishes are given up one by one until somebody is left: that servers without a
     * slice come first, that nobody goes beyond its share, and at last, where the rule allows, that
     * hosts are distinct. There are never more copies than chosen servers, nor, where hosts must be
     * distinct, than hosts: somebody is always left.
     */
    private int openFor(
        int[] chosen, List<Integer> set, int[] got, int[] most, boolean someWithoutSlice) {
      int count = 0;
      if (config.hostRule() != HostRule.NONE) {
        count = openFor(chosen, set, got, most, someWithoutSlice, true);
      }
      if (count == 0 && config.hostRule() != HostRule.MUST_DIFF) {
        count = openFor(chosen, set, got, most, someWithoutSlice, false);
      }
      return count;
    }

    private int openFor(
        int[] chosen,
        List<Integer> set,
        int[] got,
        int[] most,
        boolean someWithoutSlice,
        boolean distinctHosts) {
      int anyCount = 0;
      int withinShareCount = 0;
      int freshCount = 0;
      for (int server : chosen) {
        if (takesPart(set, server, distinctHosts)) {
          continue;
        }
        any[anyCount++] = server;
        if (got[server] < most[server]) {
          withinShare[withinShareCount++] = server;
        }
        if (someWithoutSlice && got[server] == 0) {
          open[freshCount++] = server;
        }
      }
      if (freshCount > 0) {
        return freshCount;
      }
      boolean share = withinShareCount > 0;
      int count = share ? withinShareCount : anyCount;
      System.arraycopy(share ? withinShare : any, 0, open, 0, count);
      return count;
    }

    private boolean takesPart(List<Integer> set, int server, boolean sameHostCounts) {
      for (int other : set) {
        if (other == server || (sameHostCounts && hosts[other] == hosts[server])) {
          return true;
        }
      }
      return false;
    }

    /** Lays the partitions of each set side by side. */
    private Assignment laidOut(int replicas, Map<List<Integer>, Integer> partitionsBySet) {
      Map<Integer, Integer> positions = new HashMap<>();
      List<Server> servers = new ArrayList<>();
      List<Assignment.Range> ranges = new ArrayList<>(partitionsBySet.size());
      int first = 0;
      for (Map.Entry<List<Integer>, Integer> entry : partitionsBySet.entrySet()) {
        List<Integer> holders = new ArrayList<>(replicas);
        for (int server : entry.getKey()) {
          Integer position = positions.putIfAbsent(server, servers.size());
          if (position == null) {
            position = servers.size();
            servers.add(eligible.get(server));
          }
          holders.add(position);
        }
        ranges.add(new Assignment.Range(first, first + entry.getValue() - 1, List.copyOf(holders)));
        first += entry.getValue();
      }
      return new Assignment(List.copyOf(servers), List.copyOf(ranges), replicas);
    }

    private int distinctHosts(int[] chosen) {
      return (int) Arrays.stream(chosen).map(server -> hosts[server]).distinct().count();
    }
  }

  /** Numbers hosts from 0, so that comparing two is comparing two ints. */
  private static int[] hostNumbers(List<Server> servers) {
    Map<String, Integer> numbers = new HashMap<>();
    int[] hosts = new int[servers.size()];
    for (int i = 0; i < hosts.length; i++) {
      Integer next = numbers.size();
      Integer known = numbers.putIfAbsent(servers.get(i).id().getHost(), next);
      hosts[i] = known == null ? next : known;
    }
    return hosts;
  }
}
