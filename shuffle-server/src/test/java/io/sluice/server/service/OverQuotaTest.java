package io.sluice.server.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.proto.ApplicationLease;
import java.util.List;
import org.junit.jupiter.api.Test;

class OverQuotaTest {
  private final OverQuota overQuota = new OverQuota();

  private static ApplicationLease lease(String application, String why) {
    return ApplicationLease.newBuilder().setApplication(application).setOverQuota(why).build();
  }

  @Test
  void usesTheLatestReportOfEachCoordinator() {
    overQuota.answered("c1", List.of(lease("a", "too much"), lease("b", "")));
    overQuota.answered("c2", List.of(lease("a", ""), lease("b", "")));
    assertThat(overQuota.reason("a")).isEqualTo("too much");
    assertThat(overQuota.reason("b")).isNull();
    assertThat(overQuota.applications()).isEqualTo(1);

    overQuota.answered("c1", List.of(lease("a", "")));
    assertThat(overQuota.reason("a")).isNull();
  }

  @Test
  void dropsTheReportOfACoordinatorThatDoesNotReply() {
    overQuota.answered("c1", List.of(lease("a", "too much")));
    overQuota.failed("c1");
    assertThat(overQuota.reason("a")).isNull();
    assertThat(overQuota.applications()).isZero();
  }
}
