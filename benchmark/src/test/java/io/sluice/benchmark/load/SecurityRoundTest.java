package io.sluice.benchmark.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.benchmark.cluster.Protection;
import io.sluice.benchmark.load.SecurityRound.Cost;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SecurityRoundTest {
  private static SecurityRound round(double times) {
    return new SecurityRound(
        new Cost(2 * times, 0.5 * times, times), new Cost(times, 0.25 * times, 0.1 * times));
  }

  @Test
  void rendersMediansAndTheirRatiosToTheFirstSetting() {
    Map<Protection, List<SecurityRound>> measured = new LinkedHashMap<>();
    measured.put(Protection.NONE, List.of(round(9), round(1), round(1)));
    measured.put(Protection.TLS, List.of(round(18), round(2), round(2)));

    assertThat(SecurityRound.table(measured).toMarkdown().lines().skip(2))
        .containsExactly(
            "| none | push | 2.00 | 1.00 | 0.50 | 1.00 | 1.00 | 1.00 | - | - |",
            "| none | fetch | 1.00 | 1.00 | 0.25 | 1.00 | 0.10 | 1.00 | - | - |",
            "| authentication, TLS | push | 4.00 | 2.00 | 1.00 | 2.00 | 2.00 | 2.00 | 2.000 | 2.000 |",
            "| authentication, TLS | fetch | 2.00 | 2.00 | 0.50 | 2.00 | 0.20 | 2.00 | 2.000 | 2.000 |");
  }
}
