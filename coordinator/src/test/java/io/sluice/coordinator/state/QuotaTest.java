package io.sluice.coordinator.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.coordinator.cluster.ApplicationConfig;
import io.sluice.coordinator.cluster.ServerTableConfig;
import io.sluice.coordinator.quota.AccessRules;
import io.sluice.coordinator.quota.Groups;
import io.sluice.coordinator.quota.Limits;
import io.sluice.coordinator.quota.QuotaRules;
import io.sluice.coordinator.quota.UsageRules;
import io.sluice.proto.ApplicationLoad;
import io.sluice.proto.HeartbeatReply;
import io.sluice.proto.RegisterShuffleReply;
import io.sluice.proto.Status;
import io.sluice.proto.StoredData;
import org.junit.jupiter.api.Test;

/** Users and applications that have reached a limit. */
class QuotaTest {
  private static final long KIB = 1024;

  private static UsageRules rules(String access, String quotas) {
    return new UsageRules(
        AccessRules.parse(access), Groups.NONE, QuotaRules.parse(quotas, Limits.NONE));
  }

  private static FakeCluster cluster(String access, String quotas) {
    return new FakeCluster(
        new ServerTableConfig(FakeCluster.LOST_AFTER_MS, 5000, FakeCluster.FORGET_AFTER_MS, 10, 0),
        new ApplicationConfig(FakeCluster.LEASE_MS, 100, 600_000, 10, 10),
        rules(access, quotas));
  }

  /** A server reports its data of an application. */
  private static HeartbeatReply report(
      FakeCluster cluster, String host, String application, long bytes, long partitions) {
    return cluster.heartbeat(
        FakeCluster.beatOf(host, 1)
            .addApplications(application)
            .setStored(
                StoredData.newBuilder()
                    .addApplications(
                        ApplicationLoad.newBuilder()
                            .setApplication(application)
                            .setStoredBytes(bytes)
                            .setPartitions(partitions))));
  }

  @Test
  void deniesAUserWithoutAccess() {
    FakeCluster cluster = cluster("deny user bob", "");
    assertThat(cluster.register("app-1", "ann").getStatus()).isEqualTo(Status.OK);
    var reply = cluster.register("app-2", "bob");
    assertThat(reply.getStatus()).isEqualTo(Status.DENIED);
    assertThat(reply.getMessage())
        .isEqualTo(
            "user bob is denied access to this cluster (rss.coordinator.access.candidates.path):"
                + " ask the operator to add \"allow user bob\". The built-in shuffle is used");
    assertThat(cluster.view.applications().get("app-2")).isNull();
    assertThat(cluster.events)
        .last()
        .asString()
        .startsWith(
            "WARN application denied application=app-2 user=bob cause=ACCESS reason=user bob");
  }

  @Test
  void aDeniedUsersRunningApplicationKeepsItsDataAndGetsNoNewShuffle() {
    FakeCluster cluster = cluster("", "");
    cluster.heartbeat(FakeCluster.beatOf("a", 1));
    cluster.register("app-1", "bob");
    assertThat(cluster.shuffle(FakeCluster.shuffleOf("app-1", 0, 4)).getStatus())
        .isEqualTo(Status.OK);
    cluster.newRules = rules("deny user bob", "");
    cluster.updateQuotas();
    assertThat(cluster.events).last().isEqualTo("INFO access rules or quotas changed");
    RegisterShuffleReply reply = cluster.shuffle(FakeCluster.shuffleOf("app-1", 1, 4));
    assertThat(reply.getStatus()).isEqualTo(Status.DENIED);
    assertThat(cluster.renew("app-1").getStatus()).isEqualTo(Status.OK);
  }

  @Test
  void serversRefusePushesOfAnApplicationOverItsBytes() {
    FakeCluster cluster = cluster("", "default application.bytes=64k");
    cluster.register("app-1", "ann");
    cluster.register("app-2", "ann");
    report(cluster, "a", "app-1", 40 * KIB, 3);
    report(cluster, "b", "app-1", 23 * KIB, 3);
    cluster.updateQuotas();
    assertThat(report(cluster, "a", "app-1", 40 * KIB, 3).getLeases(0).getOverQuota()).isEmpty();

    report(cluster, "b", "app-1", 24 * KIB, 3);
    cluster.updateQuotas();
    cluster.updateQuotas();
    assertThat(report(cluster, "a", "app-1", 40 * KIB, 3).getLeases(0).getOverQuota())
        .startsWith("application app-1 has 64.0 KiB on the servers, the quota is 64.0 KiB");
    assertThat(report(cluster, "a", "app-2", 1, 1).getLeases(0).getOverQuota()).isEmpty();
    assertThat(cluster.events).filteredOn(event -> event.contains("quota reached")).hasSize(1);

    // A server that no longer stores it.
    cluster.heartbeat(FakeCluster.beatOf("b", 1));
    cluster.updateQuotas();
    assertThat(report(cluster, "a", "app-1", 40 * KIB, 3).getLeases(0).getOverQuota()).isEmpty();
    assertThat(cluster.events)
        .last()
        .isEqualTo("INFO application is below its quota again application=app-1");
  }

  @Test
  void refusesReplacementServersToAnApplicationThatIsOverItsQuota() {
    FakeCluster cluster = cluster("", "default bytes=10");
    cluster.register("app-1", "ann");
    report(cluster, "a", "app-1", 10, 1);
    cluster.updateQuotas();
    RegisterShuffleReply reply =
        cluster.shuffle(FakeCluster.shuffleOf("app-1", 0, 4).setReplacementPartitions(1));
    assertThat(reply.getStatus()).isEqualTo(Status.DENIED);
    assertThat(reply.getMessage()).startsWith("user ann has 10 B on the servers");
  }

  @Test
  void sumsUpTheBytesOfAUserAndDeniesTheNextApplication() {
    FakeCluster cluster = cluster("", "user ann bytes=100");
    cluster.register("app-1", "ann");
    cluster.register("app-2", "ann");
    report(cluster, "a", "app-1", 60, 1);
    report(cluster, "b", "app-2", 60, 1);
    cluster.updateQuotas();
    assertThat(cluster.quotas.overQuota()).containsExactlyInAnyOrder("app-1", "app-2");
    assertThat(cluster.register("app-3", "ann").getStatus()).isEqualTo(Status.DENIED);
    assertThat(cluster.register("app-4", "bob").getStatus()).isEqualTo(Status.OK);
  }

  @Test
  void refusesAShuffleThatExceedsThePartitionQuotaWithReplicas() {
    FakeCluster cluster = cluster("", "default application.partitions=100");
    cluster.register("app-1", "ann");
    report(cluster, "a", "app-1", 10, 60);
    cluster.updateQuotas();
    assertThat(cluster.shuffle(FakeCluster.shuffleOf("app-1", 0, 40)).getStatus())
        .isEqualTo(Status.OK);
    RegisterShuffleReply reply =
        cluster.shuffle(FakeCluster.shuffleOf("app-1", 1, 21).setReplicas(2));
    assertThat(reply.getStatus()).isEqualTo(Status.DENIED);
    assertThat(reply.getMessage())
        .startsWith(
            "application app-1 has 60 partitions on the servers and requests 42 more, the quota is"
                + " 100");
    assertThat(cluster.events).last().asString().contains("cause=APPLICATION_PARTITIONS");
    // A recomputed stage requests no new partitions.
    assertThat(cluster.shuffle(FakeCluster.shuffleOf("app-1", 0, 40)).getStatus())
        .isEqualTo(Status.OK);
  }

  @Test
  void registersARunningApplicationAgainDespiteLimits() {
    FakeCluster cluster = cluster("deny user ann", "");
    cluster.pass(2 * FakeCluster.LEASE_MS);
    assertThat(cluster.registerAgain("app-1", "ann").getStatus())
        .as("nothing of it would be lost")
        .isEqualTo(Status.DENIED);
    report(cluster, "a", "app-1", 10, 1);
    cluster.updateQuotas();
    assertThat(cluster.registerAgain("app-1", "ann").getStatus()).isEqualTo(Status.OK);
    assertThat(cluster.register("app-2", "ann").getStatus()).isEqualTo(Status.DENIED);
  }
}
