package io.sluice.coordinator.quota;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.fuzz.DecoderFuzz;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RulesFuzzTest {
  private static final String[] WORDS = {
    "\n",
    "\r",
    " ",
    "#",
    "=",
    ",",
    ":",
    "allow",
    "deny",
    "user",
    "group",
    "default",
    "unlimited",
    "applications=",
    "bytes=",
    "partitions=",
    "application.bytes=",
    "10TiB",
    "-1",
    "\u2028",
    "\u0000"
  };

  @Test
  void parsesOrRefusesAccessRules() {
    DecoderFuzz.of("allow user etl\ndeny group guests # not yet\nalice\n")
        .words(WORDS)
        .refusing(IllegalArgumentException.class)
        .run(
            input -> {
              AccessRules rules = AccessRules.parse(text(input));
              String refusal = rules.refusal("etl", Set.of("guests"));
              assertThat(refusal == null || refusal.contains("user etl")).isTrue();
            });
  }

  @Test
  void parsesOrRefusesQuotas() {
    DecoderFuzz.of(
            """
            default applications=20 bytes=10TiB partitions=1000000
            group analysts applications=5 application.bytes=500GiB
            user etl applications=unlimited
            etl = 50
            """)
        .words(WORDS)
        .refusing(IllegalArgumentException.class)
        .run(
            input -> {
              QuotaRules rules = QuotaRules.parse(text(input), Limits.NONE);
              assertThat(rules.of("etl", Set.of("analysts"))).isNotNull();
              assertThat(QuotaRules.parse(text(input), Limits.NONE)).isEqualTo(rules);
            });
  }

  @Test
  void parsesOrRefusesGroups() {
    DecoderFuzz.of("analysts: alice, bob\nguests: carol\n")
        .words(WORDS)
        .refusing(IllegalArgumentException.class)
        .run(input -> assertThat(Groups.parse(text(input)).of("alice")).doesNotContain(""));
  }

  private static String text(byte[] input) {
    return new String(input, StandardCharsets.UTF_8);
  }
}
