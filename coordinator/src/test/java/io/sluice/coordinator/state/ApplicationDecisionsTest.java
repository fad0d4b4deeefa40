package io.sluice.coordinator.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.coordinator.cluster.ApplicationConfig;
import io.sluice.coordinator.cluster.Fallbacks;
import io.sluice.coordinator.cluster.ServerTableConfig;
import io.sluice.coordinator.quota.Limits;
import io.sluice.coordinator.quota.UsageRules;
import io.sluice.proto.ApplicationInfo;
import io.sluice.proto.ApplicationLease;
import io.sluice.proto.ApplicationReport;
import io.sluice.proto.RegisterApplicationReply;
import io.sluice.proto.RenewLeaseReply;
import io.sluice.proto.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ApplicationDecisionsTest {
  private final FakeCluster cluster = new FakeCluster();

  private static FakeCluster limited(int maxApplications, int perUser, int maxEnded) {
    return new FakeCluster(
        new ServerTableConfig(FakeCluster.LOST_AFTER_MS, 5000, FakeCluster.FORGET_AFTER_MS, 10, 0),
        new ApplicationConfig(
            FakeCluster.LEASE_MS, maxApplications, FakeCluster.ENDED_REMEMBERED_MS, maxEnded, 10),
        UsageRules.ofAll(
            new Limits(
                perUser, Limits.UNLIMITED, Limits.UNLIMITED, Limits.UNLIMITED, Limits.UNLIMITED)));
  }

  @Test
  void registersAnApplicationAndReturnsAssignableServers() {
    cluster.heartbeat(FakeCluster.beatOf("a", 1));
    cluster.heartbeat(FakeCluster.beatOf("b", 1));
    cluster.exclude("b:1");
    RegisterApplicationReply reply = cluster.register("app-1", "ann");
    assertThat(reply.getStatus()).isEqualTo(Status.OK);
    assertThat(reply.getLeaseMs()).isEqualTo(FakeCluster.LEASE_MS);
    assertThat(reply.getAssignableServers()).isEqualTo(1);
    assertThat(cluster.events)
        .last()
        .isEqualTo("INFO application registered application=app-1 user=ann clientVersion=1");
  }

  @Test
  void registeringTwiceKeepsTheState() {
    cluster.heartbeat(FakeCluster.beatOf("a", 1));
    cluster.register("app-1", "ann");
    cluster.shuffle(FakeCluster.shuffleOf("app-1", 0, 10));
    cluster.nowMs += 1000;
    int logged = cluster.events.size();
    assertThat(cluster.register("app-1", "ann").getStatus()).isEqualTo(Status.OK);
    assertThat(cluster.events).hasSize(logged);
    ApplicationInfo info =
        cluster.listings.applications(cluster.view, cluster.nowMs).getApplications(0);
    assertThat(info.getShuffles()).isEqualTo(1);
    assertThat(info.getRegisteredAgeMs()).isEqualTo(1000);
    assertThat(info.getLeaseRemainingMs()).isEqualTo(FakeCluster.LEASE_MS);
  }

  @Test
  void refusesAnotherUsersApplication() {
    cluster.register("app-1", "ann");
    RegisterApplicationReply reply = cluster.register("app-1", "bob");
    assertThat(reply.getStatus()).isEqualTo(Status.DENIED);
    assertThat(reply.getMessage()).isEqualTo("application app-1 belongs to another user");
  }

  @Test
  void expiresAnApplicationThatIsNotRenewed() {
    cluster.register("app-1", "ann");
    cluster.pass(FakeCluster.LEASE_MS - 1);
    assertThat(cluster.renew("app-1").getStatus()).isEqualTo(Status.OK);
    cluster.pass(FakeCluster.LEASE_MS - 1);
    assertThat(cluster.view.applications().liveCount()).isEqualTo(1);
    cluster.pass(1);
    assertThat(cluster.view.applications().liveCount()).isZero();
    assertThat(cluster.events)
        .last()
        .isEqualTo("WARN application expired application=app-1 silentMs=60000");
    RenewLeaseReply reply = cluster.renew("app-1");
    assertThat(reply.getStatus()).isEqualTo(Status.UNKNOWN_APPLICATION);
    assertThat(reply.getMessage())
        .isEqualTo("application app-1 is not registered with this coordinator: register it first");
  }

  @Test
  void listsWrongReceiptsThatADriverReports() {
    cluster.register("app-1", "ann");
    int before = cluster.events.size();
    cluster.renewWithWrongReceipts("app-1", 0);
    cluster.renewWithWrongReceipts("app-1", -1);
    assertThat(cluster.events).hasSize(before);

    assertThat(cluster.renewWithWrongReceipts("app-1", 3).getStatus()).isEqualTo(Status.OK);
    assertThat(cluster.events)
        .last()
        .isEqualTo(
            "ERROR readers got other records than map tasks wrote application=app-1 attempts=3");
  }

  /** An application can end before its next renewal. */
  @Test
  void keepsTheLastReportOfADriver() {
    cluster.register("app-1", "ann");
    ApplicationReport last =
        ApplicationReport.newBuilder()
            .setFallbackShuffles(2)
            .setLastFallbackReason("no server\nis free")
            .setWrongReceipts(3)
            .build();

    assertThat(cluster.unregister("app-1", last).getStatus()).isEqualTo(Status.OK);
    assertThat(cluster.unregister("app-1", last).getStatus()).isEqualTo(Status.OK);

    assertThat(cluster.events)
        .containsOnlyOnce(
            "ERROR readers got other records than map tasks wrote application=app-1 attempts=3");
    assertThat(cluster.view.applications().get("app-1").fallbacks())
        .isEqualTo(new Fallbacks(2, "no server is free"));
  }

  @Test
  void doesNotRenewAnExpiredLeaseBeforeTheTimeoutCheck() {
    cluster.register("app-1", "ann");
    cluster.nowMs += FakeCluster.LEASE_MS;
    assertThat(cluster.renew("app-1").getStatus()).isEqualTo(Status.UNKNOWN_APPLICATION);
    assertThat(cluster.register("app-1", "bob").getStatus()).isEqualTo(Status.OK);
    assertThat(cluster.view.applications().get("app-1").registeredAtMs()).isEqualTo(cluster.nowMs);
  }

  @Test
  void remembersAnEndedApplicationUntilServersAreNotified() {
    cluster.register("app-1", "ann");
    assertThat(cluster.unregister("app-1").getStatus()).isEqualTo(Status.OK);
    assertThat(cluster.unregister("app-1").getStatus()).isEqualTo(Status.OK);
    assertThat(cluster.renew("app-1").getStatus()).isEqualTo(Status.UNKNOWN_APPLICATION);
    assertThat(cluster.leaseAt("a", 1, "app-1")).isEqualTo(ApplicationLease.State.ENDED);
    cluster.pass(FakeCluster.ENDED_REMEMBERED_MS);
    assertThat(cluster.leaseAt("a", 1, "app-1")).isEqualTo(ApplicationLease.State.ENDED);
    cluster.pass(1);
    assertThat(cluster.leaseAt("a", 1, "app-1")).isEqualTo(ApplicationLease.State.UNKNOWN);
    assertThat(cluster.events).filteredOn(event -> event.contains("application ended")).hasSize(1);
  }

  @Test
  void notifiesServersOfTheEndOfAnUnknownApplication() {
    assertThat(cluster.unregister("app-1").getStatus()).isEqualTo(Status.OK);
    assertThat(cluster.leaseAt("a", 1, "app-1")).isEqualTo(ApplicationLease.State.ENDED);
  }

  @Test
  void registersAnEndedApplicationAgain() {
    cluster.register("app-1", "ann");
    cluster.unregister("app-1");
    assertThat(cluster.register("app-1", "bob").getStatus()).isEqualTo(Status.OK);
    assertThat(cluster.leaseAt("a", 1, "app-1")).isEqualTo(ApplicationLease.State.LIVE);
    assertThat(cluster.view.applications().endedCount()).isZero();
  }

  @Test
  void limitsLiveApplications() {
    FakeCluster small = limited(2, -1, 10);
    small.register("app-1", "ann");
    small.register("app-2", "ann");
    RegisterApplicationReply reply = small.register("app-3", "ann");
    assertThat(reply.getStatus()).isEqualTo(Status.BUSY);
    assertThat(reply.getMessage()).contains("rss.coordinator.app.max");
    assertThat(small.register("app-1", "ann").getStatus()).isEqualTo(Status.OK);
    small.unregister("app-1");
    assertThat(small.register("app-3", "ann").getStatus()).isEqualTo(Status.OK);
  }

  @Test
  void limitsApplicationsOfAUser() {
    FakeCluster small = limited(10, 1, 10);
    small.register("app-1", "ann");
    RegisterApplicationReply reply = small.register("app-2", "ann");
    assertThat(reply.getStatus()).isEqualTo(Status.DENIED);
    assertThat(reply.getMessage()).contains("rss.coordinator.quota.default.app.num");
    assertThat(small.register("app-2", "bob").getStatus()).isEqualTo(Status.OK);
    assertThat(small.register("app-1", "ann").getStatus()).isEqualTo(Status.OK);
  }

  @Test
  void limitsRememberedEndedApplications() {
    FakeCluster small = limited(10, -1, 2);
    for (int i = 0; i < 5; i++) {
      small.register("app-" + i, "ann");
      assertThat(small.unregister("app-" + i).getStatus()).isEqualTo(Status.OK);
    }
    assertThat(small.view.applications().endedCount()).isEqualTo(2);
    assertThat(small.leaseAt("a", 1, "app-0")).isEqualTo(ApplicationLease.State.ENDED);
    assertThat(small.leaseAt("a", 1, "app-4")).isEqualTo(ApplicationLease.State.UNKNOWN);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a b", "a/../b", "app\u0000", "\u00e4pp"})
  void refusesAnInvalidId(String id) {
    assertThat(cluster.register(id, "ann").getStatus()).isEqualTo(Status.BAD_REQUEST);
    assertThat(cluster.renew(id).getStatus()).isEqualTo(Status.BAD_REQUEST);
    assertThat(cluster.unregister(id).getStatus()).isEqualTo(Status.BAD_REQUEST);
    assertThat(cluster.unregister(id).getMessage())
        .startsWith("application id: expected 1 to 256 of [A-Za-z0-9._@+$~-], found \"")
        .doesNotContain("\u0000");
  }

  @Test
  void refusesATooLongIdWithAShortenedMessage() {
    RegisterApplicationReply reply = cluster.register("x".repeat(257), "ann");
    assertThat(reply.getStatus()).isEqualTo(Status.BAD_REQUEST);
    assertThat(reply.getMessage()).endsWith("...\" (257 characters)").hasSizeLessThan(400);
    assertThat(cluster.register("x".repeat(256), "ann").getStatus()).isEqualTo(Status.OK);
  }

  @Test
  void acceptsUserNamesWithoutControlCharacters() {
    assertThat(cluster.register("app-1", "DOMAIN\\Ann L\u00f6we").getStatus()).isEqualTo(Status.OK);
    assertThat(cluster.register("app-2", "ann\nERROR disk on fire").getStatus())
        .isEqualTo(Status.BAD_REQUEST);
  }
}
