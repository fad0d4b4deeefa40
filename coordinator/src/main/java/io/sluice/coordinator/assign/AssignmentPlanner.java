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
 * Makes the assignment of one shuffle. The cost depends on the number of servers, not on the number
 * of partitions.
 *
 * <p>Three steps:
 *
 * <ol>
 *   <li><b>Choose servers.</b> The maximum number of servers is chosen one by one with the
 *       strategy, which balances the load over many shuffles. With replicas, each zone gets about
 *       the same number of servers.
 *   <li><b>Distribute partition groups.</b> The partitions are cut into up to sixteen groups per
 *       chosen server. The strategy chooses the servers of each group; loads include the groups
 *       distributed so far. Every chosen server gets one group before any gets two. No server gets
 *       more than 1.25 times its share (by count, or by capacity for large servers): a shuffle is
 *       as slow as its busiest server, so an idle server must not get everything.
 *   <li><b>Lay out ranges.</b> The groups of each set of servers become one contiguous range of
 *       partitions. Partition numbers do not matter for balance (they are hashes, or ranges cut to
 *       equal sizes). A reader of neighboring partitions connects to few servers, and the reply is
 *       small.
 * </ol>
 */
public final class AssignmentPlanner {
  /** Granularity of a server's share: 1/16, about 6 %. */
  private static final int GROUPS_PER_SERVER = 16;

  /** Bounds the work for a shuffle on hundreds of servers; every server still gets a group. */
  private static final int MAX_GROUPS = 512;

  /** Maximum part of one server in one shuffle, as a multiple of its share. */
  private static final double MAX_SHARE_FACTOR = 1.25;

  /** Parameters of an assignment; all at least 1. */
  public record Request(
      int partitionCount, int replicas, int maxServers, double expectedPartitionBytes) {}

  /** Where the replicas of a partition must be; each value includes the later ones. */
  private enum Distinct {
    ZONES,
    HOSTS,
    SERVERS
  }

  private final AssignmentConfig config;
  private final Function<RandomGenerator, AssignmentStrategy> strategies;

  public AssignmentPlanner(AssignmentConfig config) {
    this(config, TwoChoices::new);
  }

  /**
   * @param strategies creates the strategy of one assignment
   */
  AssignmentPlanner(
      AssignmentConfig config, Function<RandomGenerator, AssignmentStrategy> strategies) {
    this.config = config;
    this.strategies = strategies;
  }

  /**
   * Assigns a shuffle to some of the servers.
   *
   * @param eligible the servers to choose from, at least one
   */
  public Assignment plan(Request request, List<Server> eligible, RandomGenerator random) {
    return new Plan(request, eligible, random).assignment();
  }

  /** Computes one assignment. Array indexes are indexes into the list of eligible servers. */
  private final class Plan {
    private final Request request;
    private final List<Server> eligible;
    private final AssignmentStrategy strategy;

    private final int serverCount;
    private final int[] hosts;
    private final int[] zones;
    private final boolean distinctZones;
    private final double[] capacityShare;
    private final double[] load;

    /** Load that one more partition adds to each server. */
    private final double[] partitionLoad;

    /** Scratch arrays: candidates of the next choice. */
    private final int[] candidates;

    private final int[] withinShare;
    private final int[] any;

    Plan(Request request, List<Server> eligible, RandomGenerator random) {
      this.request = request;
      this.eligible = eligible;
      this.serverCount = eligible.size();
      this.strategy = strategies.apply(random);
      this.hosts = numbers(eligible, server -> server.id().getHost());
      this.zones = numbers(eligible, Server::zone);
      this.distinctZones =
          config.hostRule() != HostRule.NONE
              && request.replicas() > 1
              && Arrays.stream(zones).distinct().limit(2).count() > 1;
      this.capacityShare = new double[serverCount];
      this.load = new double[serverCount];
      this.partitionLoad = new double[serverCount];
      this.candidates = new int[serverCount];
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
      return layOut(replicas, distributeGroups(chosen, replicas));
    }

    private int[] chooseServers() {
      long replicaCount = (long) request.partitionCount() * request.replicas();
      int limit = Math.min(config.maxServersPerShuffle(), request.maxServers());
      int count = (int) Math.min(Math.min(limit, replicaCount), serverCount);
      int wantedHosts = config.hostRule() == HostRule.NONE ? 0 : request.replicas();
      boolean[] taken = new boolean[serverCount];
      boolean[] hostTaken = new boolean[serverCount];
      int[] takenOfZone = new int[serverCount];
      int hostCount = 0;
      int[] chosen = new int[count];
      for (int i = 0; i < count; i++) {
        int ofZone = distinctZones ? fewestOfZone(taken, takenOfZone) : Integer.MAX_VALUE;
        int candidateCount = 0;
        if (hostCount < wantedHosts) {
          for (int server = 0; server < serverCount; server++) {
            if (!hostTaken[hosts[server]] && takenOfZone[zones[server]] <= ofZone) {
              candidates[candidateCount++] = server;
            }
          }
        }
        if (candidateCount == 0) {
          for (int server = 0; server < serverCount; server++) {
            if (!taken[server] && takenOfZone[zones[server]] <= ofZone) {
              candidates[candidateCount++] = server;
            }
          }
        }
        int server = strategy.choose(candidates, candidateCount, load);
        chosen[i] = server;
        taken[server] = true;
        takenOfZone[zones[server]]++;
        if (!hostTaken[hosts[server]]) {
          hostTaken[hosts[server]] = true;
          hostCount++;
        }
      }
      return chosen;
    }

    /** The smallest number of chosen servers of a zone that has servers left. */
    private int fewestOfZone(boolean[] taken, int[] takenOfZone) {
      int fewest = Integer.MAX_VALUE;
      for (int server = 0; server < serverCount; server++) {
        if (!taken[server]) {
          fewest = Math.min(fewest, takenOfZone[zones[server]]);
        }
      }
      return fewest;
    }

    /**
     * Distributes all partition groups.
     *
     * @return number of partitions by set of servers; a set lists its servers in the order of the
     *     replicas
     */
    private Map<List<Integer>, Integer> distributeGroups(int[] chosen, int replicas) {
      int wanted = Math.max(chosen.length, Math.min(GROUPS_PER_SERVER * chosen.length, MAX_GROUPS));
      int groups = Math.min(request.partitionCount(), wanted);
      int[] max = maxGroups(chosen, groups * replicas);
      int[] assigned = new int[serverCount];
      int serversWithoutGroup = chosen.length;
      Map<List<Integer>, Integer> partitionsBySet = new LinkedHashMap<>();
      for (int group = 0; group < groups; group++) {
        int partitions =
            request.partitionCount() / groups + (group < request.partitionCount() % groups ? 1 : 0);
        List<Integer> set = new ArrayList<>(replicas);
        while (set.size() < replicas) {
          int candidateCount = fillCandidates(chosen, set, assigned, max, serversWithoutGroup > 0);
          int server = strategy.choose(candidates, candidateCount, load);
          if (assigned[server]++ == 0) {
            serversWithoutGroup--;
          }
          load[server] += partitions * partitionLoad[server];
          set.add(server);
        }
        partitionsBySet.merge(set, partitions, Integer::sum);
      }
      return partitionsBySet;
    }

    private int[] maxGroups(int[] chosen, int groupReplicas) {
      double capacityOfChosen = 0;
      for (int server : chosen) {
        capacityOfChosen += capacityShare[server];
      }
      int[] max = new int[serverCount];
      for (int server : chosen) {
        double share = Math.max(1.0 / chosen.length, capacityShare[server] / capacityOfChosen);
        max[server] = (int) Math.ceil(MAX_SHARE_FACTOR * share * groupReplicas);
      }
      return max;
    }

    /**
     * Fills {@link #candidates} with the servers for the next replica of a group and returns their
     * number, at least 1. The conditions are dropped one by one until a server remains: servers
     * without a group first, then servers below their maximum share, then distinct zones, then, if
     * the host rule allows, distinct hosts. A server always remains, because there are never more
     * replicas than chosen servers, or than hosts if hosts must be distinct.
     */
    private int fillCandidates(
        int[] chosen, List<Integer> set, int[] assigned, int[] max, boolean preferWithoutGroup) {
      int count = 0;
      if (distinctZones) {
        count = fillCandidates(chosen, set, assigned, max, preferWithoutGroup, Distinct.ZONES);
      }
      if (count == 0 && config.hostRule() != HostRule.NONE) {
        count = fillCandidates(chosen, set, assigned, max, preferWithoutGroup, Distinct.HOSTS);
      }
      if (count == 0 && config.hostRule() != HostRule.MUST_DIFF) {
        count = fillCandidates(chosen, set, assigned, max, preferWithoutGroup, Distinct.SERVERS);
      }
      return count;
    }

    private int fillCandidates(
        int[] chosen,
        List<Integer> set,
        int[] assigned,
        int[] max,
        boolean preferWithoutGroup,
        Distinct distinct) {
      int anyCount = 0;
      int withinShareCount = 0;
      int withoutGroupCount = 0;
      for (int server : chosen) {
        if (conflicts(set, server, distinct)) {
          continue;
        }
        any[anyCount++] = server;
        if (assigned[server] < max[server]) {
          withinShare[withinShareCount++] = server;
        }
        if (preferWithoutGroup && assigned[server] == 0) {
          candidates[withoutGroupCount++] = server;
        }
      }
      if (withoutGroupCount > 0) {
        return withoutGroupCount;
      }
      boolean anyWithinShare = withinShareCount > 0;
      int count = anyWithinShare ? withinShareCount : anyCount;
      System.arraycopy(anyWithinShare ? withinShare : any, 0, candidates, 0, count);
      return count;
    }

    private boolean conflicts(List<Integer> set, int server, Distinct distinct) {
      for (int other : set) {
        boolean equal =
            switch (distinct) {
              case ZONES -> zones[other] == zones[server] || hosts[other] == hosts[server];
              case HOSTS -> hosts[other] == hosts[server];
              case SERVERS -> other == server;
            };
        if (equal) {
          return true;
        }
      }
      return false;
    }

    /** Makes one contiguous range of partitions for each set of servers. */
    private Assignment layOut(int replicas, Map<List<Integer>, Integer> partitionsBySet) {
      Map<Integer, Integer> positions = new HashMap<>();
      List<Server> servers = new ArrayList<>();
      List<Assignment.Range> ranges = new ArrayList<>(partitionsBySet.size());
      int first = 0;
      for (Map.Entry<List<Integer>, Integer> entry : partitionsBySet.entrySet()) {
        List<Integer> replicaServers = new ArrayList<>(replicas);
        for (int server : entry.getKey()) {
          Integer position = positions.putIfAbsent(server, servers.size());
          if (position == null) {
            position = servers.size();
            servers.add(eligible.get(server));
          }
          replicaServers.add(position);
        }
        ranges.add(
            new Assignment.Range(first, first + entry.getValue() - 1, List.copyOf(replicaServers)));
        first += entry.getValue();
      }
      return new Assignment(List.copyOf(servers), List.copyOf(ranges), replicas);
    }

    private int distinctHosts(int[] chosen) {
      return (int) Arrays.stream(chosen).map(server -> hosts[server]).distinct().count();
    }
  }

  /** Maps hosts or zones to numbers from 0, so that they compare fast. */
  private static int[] numbers(List<Server> servers, Function<Server, String> name) {
    Map<String, Integer> numbers = new HashMap<>();
    int[] found = new int[servers.size()];
    for (int i = 0; i < found.length; i++) {
      Integer next = numbers.size();
      Integer known = numbers.putIfAbsent(name.apply(servers.get(i)), next);
      found[i] = known == null ? next : known;
    }
    return found;
  }
}
