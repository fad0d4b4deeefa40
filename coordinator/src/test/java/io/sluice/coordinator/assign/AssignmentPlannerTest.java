package io.sluice.coordinator.assign;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.coordinator.cluster.Server;
import io.sluice.coordinator.cluster.Servers;
import io.sluice.proto.ServerLoad;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class AssignmentPlannerTest {
  private static final double PARTITION_BYTES = 1 << 20;
  private static final int ANY = Integer.MAX_VALUE;

  private static AssignmentPlanner planner(
      StrategyKind strategy, HostRule hostRule, int maxServers) {
    return new AssignmentPlanner(new AssignmentConfig(hostRule, maxServers, 0.95), strategy::start);
  }

  private static Assignment plan(List<Server> servers, int partitions, int replicas) {
    return planner(StrategyKind.TWO_CHOICES, HostRule.PREFER_DIFF, 9)
        .plan(
            new AssignmentPlanner.Request(partitions, replicas, ANY, PARTITION_BYTES),
            servers,
            new SplittableRandom(1));
  }

  private static List<Server> idleServers(int count) {
    List<Server> servers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      servers.add(Servers.idle("h" + i, 1));
    }
    return servers;
  }

  /**
   * Goal: no plan breaks a rule. Method: thousands of seeded random clusters and requests, each
   * plan checked against every rule.
   */
  @ParameterizedTest
  @EnumSource(StrategyKind.class)
  void keepsEveryRuleOnRandomClusters(StrategyKind strategy) {
    SplittableRandom random = new SplittableRandom(42);
    List<HostRule> hostRules = List.copyOf(EnumSet.allOf(HostRule.class));
    for (int round = 0; round < 1500; round++) {
      HostRule hostRule = hostRules.get(random.nextInt(hostRules.size()));
      int maxServers = random.nextInt(1, 20);
      List<Server> servers = randomServers(random);
      AssignmentPlanner.Request request =
          new AssignmentPlanner.Request(
              random.nextInt(4) == 0 ? random.nextInt(1, 8) : random.nextInt(1, 30_000),
              random.nextInt(1, 5),
              random.nextInt(3) == 0 ? random.nextInt(1, 12) : ANY,
              PARTITION_BYTES);
      Assignment assignment =
          planner(strategy, hostRule, maxServers)
              .plan(request, servers, new SplittableRandom(round));
      String description =
          "round "
              + round
              + " "
              + hostRule
              + " of "
              + servers.size()
              + " max "
              + maxServers
              + " "
              + request;
      check(
          assignment,
          request,
          servers,
          hostRule,
          Math.min(maxServers, request.maxServers()),
          description);
    }
  }

  private static List<Server> randomServers(SplittableRandom random) {
    int hosts = random.nextInt(1, 12);
    List<Server> servers = new ArrayList<>();
    for (int host = 0; host < hosts; host++) {
      int onHost = random.nextInt(1, 4);
      for (int i = 0; i < onHost; i++) {
        ServerLoad load =
            Servers.memoryUsed(random.nextDouble()).toBuilder()
                .setMemoryCapacityBytes(
                    random.nextInt(5) == 0 ? 0 : Servers.GIB * random.nextInt(1, 8))
                .build();
        servers.add(Servers.with("h" + host, 1 + i, load).assigned(random.nextInt(1000)));
      }
    }
    return servers;
  }

  private static void check(
      Assignment assignment,
      AssignmentPlanner.Request request,
      List<Server> servers,
      HostRule hostRule,
      int maxServers,
      String description) {
    int next = 0;
    List<Integer> before = List.of();
    Set<Integer> used = new HashSet<>();
    for (Assignment.Range range : assignment.ranges()) {
      assertThat(range.first()).as(description).isEqualTo(next);
      assertThat(range.last()).as(description).isGreaterThanOrEqualTo(range.first());
      assertThat(range.servers())
          .as(description)
          .hasSize(assignment.replicas())
          .doesNotHaveDuplicates()
          .isNotEqualTo(before);
      if (hostRule == HostRule.MUST_DIFF) {
        assertThat(
                range.servers().stream()
                    .map(server -> assignment.servers().get(server).id().getHost()))
            .as(description)
            .doesNotHaveDuplicates();
      }
      before = range.servers();
      used.addAll(range.servers());
      next = range.last() + 1;
    }
    assertThat(next).as(description).isEqualTo(request.partitionCount());
    long hosts = servers.stream().map(server -> server.id().getHost()).distinct().count();
    int expectedServers =
        (int)
            Math.min(
                Math.min(maxServers, servers.size()),
                (long) request.partitionCount() * request.replicas());
    assertThat(assignment.servers())
        .as(description)
        .doesNotHaveDuplicates()
        .hasSizeLessThanOrEqualTo(expectedServers);
    assertThat(used).as(description).hasSize(assignment.servers().size());
    if (assignment.replicas() == 1) {
      assertThat(assignment.servers())
          .as(description)
          .hasSize(Math.min(expectedServers, request.partitionCount()));
    }
    int possible = (int) Math.min(expectedServers, hostRule == HostRule.MUST_DIFF ? hosts : ANY);
    assertThat(assignment.replicas())
        .as(description)
        .isEqualTo(Math.min(request.replicas(), possible));
    assertThat(assignment.ranges().size())
        .as(description)
        .isLessThanOrEqualTo(assignment.replicas() == 1 ? expectedServers : 512);
  }

  @Test
  void usesBothOfTwoIdleServersEvenly() {
    Map<String, Integer> partitions = plan(idleServers(2), 200, 1).partitionsByServer();
    assertThat(partitions).hasSize(2);
    assertThat(partitions.values()).allSatisfy(count -> assertThat(count).isBetween(93, 107));
  }

  @Test
  void givesOnePartitionToOneServerAndTwoToTwo() {
    assertThat(plan(idleServers(5), 1, 1).ranges()).hasSize(1);
    assertThat(plan(idleServers(5), 2, 1).partitionsByServer()).hasSize(2);
  }

  @Test
  void limitsTheShareOfAnIdleServer() {
    List<Server> servers = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      servers.add(Servers.with("busy" + i, 1, Servers.memoryUsed(0.9)));
    }
    servers.add(Servers.idle("idle", 1));
    Map<String, Integer> partitions = plan(servers, 9000, 1).partitionsByServer();
    assertThat(partitions.get("idle:1")).isGreaterThan(1000).isLessThanOrEqualTo(1260);
    assertThat(partitions).hasSize(9);
  }

  @Test
  void choosesIdleServersRatherThanBusyOnes() {
    List<Server> servers = new ArrayList<>(idleServers(50));
    for (int i = 0; i < 50; i++) {
      servers.add(Servers.with("busy" + i, 1, Servers.memoryUsed(0.9)));
    }
    int[] busy = {0};
    int rounds = 200;
    AssignmentPlanner planner = planner(StrategyKind.TWO_CHOICES, HostRule.PREFER_DIFF, 1);
    for (int seed = 0; seed < rounds; seed++) {
      planner
          .plan(
              new AssignmentPlanner.Request(1, 1, ANY, PARTITION_BYTES),
              servers,
              new SplittableRandom(seed))
          .servers()
          .forEach(server -> busy[0] += server.id().getHost().startsWith("busy") ? 1 : 0);
    }
    // Both of two draws are busy in a quarter of all cases.
    assertThat(busy[0]).isBetween(rounds / 8, rounds * 3 / 8);
  }

  @Test
  void assignsMoreToALargerServer() {
    List<Server> servers = new ArrayList<>(idleServers(3));
    servers.add(
        Servers.with(
            "big",
            1,
            Servers.idleLoad().toBuilder().setMemoryCapacityBytes(6 * Servers.GIB).build()));
    Map<String, Integer> partitions = plan(servers, 9000, 1).partitionsByServer();
    assertThat(partitions.get("big:1")).isGreaterThan(3 * 1000);
    assertThat(partitions.get("h0:1")).isLessThan(9000 / 4);
  }

  @Test
  void countsPartitionsAssignedSinceTheLastHeartbeat() {
    List<Server> servers = List.of(Servers.idle("a", 1).assigned(10_000), Servers.idle("b", 1));
    assertThat(plan(servers, 1, 1).servers().get(0).name()).isEqualTo("b:1");
  }

  @Test
  void putsReplicasOnDistinctHostsIfThereAreEnough() {
    List<Server> servers =
        List.of(
            Servers.idle("a", 1), Servers.idle("a", 2), Servers.idle("a", 3), Servers.idle("b", 1));
    for (Assignment.Range range : plan(servers, 1000, 2).ranges()) {
      assertThat(range.servers()).hasSize(2);
    }
    Assignment assignment = plan(servers, 1000, 2);
    assertThat(assignment.ranges())
        .allSatisfy(
            range ->
                assertThat(
                        range.servers().stream()
                            .map(server -> assignment.servers().get(server).id().getHost()))
                    .containsExactlyInAnyOrder("a", "b"));
  }

  @Test
  void choosesASecondHostForReplicas() {
    List<Server> servers = new ArrayList<>();
    for (int port = 1; port <= 60; port++) {
      servers.add(Servers.idle("a", port));
    }
    servers.add(Servers.idle("b", 1));
    Assignment assignment = plan(servers, 1000, 2);
    assertThat(assignment.servers()).anyMatch(server -> server.id().getHost().equals("b"));
  }

  @Test
  void putsReplicasOnDistinctServersIfHostsAreTooFew() {
    Assignment assignment = plan(List.of(Servers.idle("a", 1), Servers.idle("a", 2)), 100, 2);
    assertThat(assignment.replicas()).isEqualTo(2);
    assertThat(assignment.ranges())
        .allSatisfy(range -> assertThat(range.servers()).hasSize(2).doesNotHaveDuplicates());
  }

  @Test
  void assignsFewerReplicasIfServersAreTooFew() {
    assertThat(plan(idleServers(2), 100, 3).replicas()).isEqualTo(2);
  }

  @Test
  void assignsContiguousRanges() {
    assertThat(plan(idleServers(9), 20_000, 1).ranges()).hasSize(9);
  }

  @Test
  void isDeterministic() {
    assertThat(plan(idleServers(30), 500, 2)).isEqualTo(plan(idleServers(30), 500, 2));
  }
}
