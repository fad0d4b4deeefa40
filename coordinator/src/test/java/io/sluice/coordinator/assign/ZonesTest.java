package io.sluice.coordinator.assign;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.coordinator.assign.BalanceSimulation.Outcome;
import io.sluice.coordinator.assign.BalanceSimulation.Setup;
import io.sluice.coordinator.cluster.Server;
import io.sluice.coordinator.cluster.Servers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Replicas in distinct zones, and the balance of servers under this rule. */
class ZonesTest {
  private static final int PARTITIONS = 200;

  private final List<Server> servers = new ArrayList<>();

  private void servers(String zone, int count) {
    for (int i = 0; i < count; i++) {
      servers.add(Servers.inZone(zone, "h" + servers.size(), 1));
    }
  }

  private Assignment plan(HostRule rule, int replicas, int maxServers, long seed) {
    return new AssignmentPlanner(new AssignmentConfig(rule, maxServers, 1))
        .plan(
            new AssignmentPlanner.Request(PARTITIONS, replicas, Integer.MAX_VALUE, 1 << 20),
            servers,
            new SplittableRandom(seed));
  }

  /** Number of distinct zones of the replicas of each range. */
  private static Set<Integer> zoneCounts(Assignment assignment) {
    Set<Integer> counts = new HashSet<>();
    for (Assignment.Range range : assignment.ranges()) {
      Set<String> zones = new HashSet<>();
      range.servers().forEach(server -> zones.add(assignment.servers().get(server).zone()));
      counts.add(zones.size());
    }
    return counts;
  }

  @Test
  void replicasAreInDistinctZones() {
    servers("a", 5);
    servers("b", 5);
    servers("c", 5);
    for (int seed = 0; seed < 200; seed++) {
      assertThat(zoneCounts(plan(HostRule.PREFER_DIFF, 2, 9, seed))).containsExactly(2);
      assertThat(zoneCounts(plan(HostRule.MUST_DIFF, 3, 9, seed))).containsExactly(3);
      assertThat(zoneCounts(plan(HostRule.PREFER_DIFF, 2, 2, seed))).containsExactly(2);
    }
  }

  @Test
  void chosenServersAreSpreadEvenlyOverZones() {
    servers("a", 20);
    servers("b", 3);
    servers("c", 3);
    Map<String, Integer> byZone = new HashMap<>();
    plan(HostRule.PREFER_DIFF, 2, 9, 1)
        .servers()
        .forEach(server -> byZone.merge(server.zone(), 1, Integer::sum));

    assertThat(byZone).isEqualTo(Map.of("a", 3, "b", 3, "c", 3));
  }

  @Test
  void moreReplicasThanZonesAreOnDistinctHosts() {
    servers("a", 3);
    servers("b", 3);
    Assignment assignment = plan(HostRule.PREFER_DIFF, 3, 9, 1);

    assertThat(zoneCounts(assignment)).containsExactly(2);
    assertThat(assignment.replicas()).isEqualTo(3);
    assertThat(assignment.ranges())
        .allSatisfy(range -> assertThat(range.servers()).doesNotHaveDuplicates());
  }

  @Test
  void theOnlyServerOfAZoneGetsAReplicaOfEveryPartition() {
    servers("a", 8);
    servers("b", 1);
    Assignment assignment = plan(HostRule.PREFER_DIFF, 2, 9, 1);

    assertThat(zoneCounts(assignment)).containsExactly(2);
    assertThat(assignment.partitionsByServer().get("h8:1")).isEqualTo(PARTITIONS);
  }

  @Test
  void withoutARuleForHostsThereIsNoneForZones() {
    servers("a", 8);
    servers("b", 1);
    assertThat(zoneCounts(plan(HostRule.NONE, 2, 9, 1))).contains(1);
  }

  @Test
  void zonesDoNotChangeShufflesWithoutReplicas() {
    servers("a", 8);
    servers("b", 1);
    Assignment inZones = plan(HostRule.PREFER_DIFF, 1, 4, 7);
    servers.replaceAll(server -> Servers.inZone("", server.id().getHost(), 1));

    assertThat(inZones.partitionsByServer())
        .isEqualTo(plan(HostRule.PREFER_DIFF, 1, 4, 7).partitionsByServer());
  }

  @Test
  void prefersTheServersOfAZoneIfThereAreAny() {
    servers("a", 2);
    servers("b", 1);

    assertThat(Eligibility.preferring("b", servers)).containsExactly(servers.get(2));
    assertThat(Eligibility.preferring("c", servers)).isEqualTo(servers);
    assertThat(Eligibility.preferring("", servers)).isEqualTo(servers);
  }

  /**
   * Goal: the rule costs no balance if zones have the same size. Method: the simulation with two
   * replicas, in one zone and in four zones of 25 servers.
   */
  @Test
  void zonesOfOneSizeKeepTheBalanceOfTwoChoices() {
    Setup oneZone = BalanceSetups.late(1).in(1, 2);
    Setup fourZones = BalanceSetups.late(1).in(4, 2);
    Outcome one = new BalanceSimulation(oneZone).run();
    Outcome four = new BalanceSimulation(fourZones).run();
    Outcome random = new BalanceSimulation(fourZones.with(StrategyKind.RANDOM)).run();

    assertThat(four.finalMaxOverMean()).isLessThan(1.08);
    assertThat(four.finalMaxOverMean() - 1).isLessThan(1.5 * (one.finalMaxOverMean() - 1));
    assertThat(random.finalMaxOverMean() - 1).isGreaterThan(2 * (four.finalMaxOverMean() - 1));
  }
}
