package io.sluice.coordinator.quota;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class QuotasTest {
  private static final Limits CONFIGURED = new Limits(0, 0, 0, 0, 0);

  private static Quotas quotas(String file) {
    return new Quotas(
        new UsageRules(AccessRules.ALLOW_ALL, Groups.NONE, QuotaRules.parse(file, CONFIGURED)));
  }

  private static String denied(Quotas quotas) {
    return quotas.application("ann", 0).map(Denial::message).orElse("");
  }

  private static String deniedShuffle(Quotas quotas) {
    return quotas.shuffle("app-1", "ann", 1).map(Denial::message).orElse("");
  }

  @Test
  void aDenialNamesTheSourceOfTheLimit() {
    Quotas quotas = quotas("default application.bytes=unlimited bytes=0");
    assertThat(denied(quotas))
        .isEqualTo(
            "user ann has 0 applications, the quota is 0 (rss.coordinator.quota.default.app.num):"
                + " end unneeded applications, or ask the operator to raise the quota. The"
                + " built-in shuffle is used");
    assertThat(deniedShuffle(quotas))
        .startsWith(
            "user ann has 0 B on the servers, the quota is 0 B (bytes in"
                + " rss.coordinator.quota.default.path): ");

    quotas.limits(SetLimits.NONE.with("ann", Map.of("applications", 0L, "bytes", -1L)));
    assertThat(denied(quotas)).contains(" (applications set at /api/v1/quotas/ann): ");
    assertThat(deniedShuffle(quotas)).contains(" (rss.coordinator.quota.default.app.partitions): ");

    quotas.limits(SetLimits.NONE.with("ann", Map.of("bytes", -1L, "application.partitions", -1L)));
    assertThat(deniedShuffle(quotas)).contains(" (rss.coordinator.quota.default.partitions): ");
  }

  @Test
  void aLineOfAUserOrOfTheApiTakesPrecedence() {
    Quotas quotas = quotas("default applications=unlimited\nuser ann applications=0");
    assertThat(denied(quotas)).contains(" (applications in rss.coordinator.quota.default.path): ");

    quotas.limits(SetLimits.NONE.with("ann", Map.of("applications", 0L)));
    assertThat(denied(quotas)).contains(" (applications set at /api/v1/quotas/ann): ");
  }
}
