package io.sluice.coordinator.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UsageRulesTest {
  private static final Limits CONFIGURED = new Limits(20, 1000, -1, -1, -1);

  private static UsageRules rules(String access, String groups, String quotas) {
    return new UsageRules(
        AccessRules.parse(access), Groups.parse(groups), QuotaRules.parse(quotas, CONFIGURED));
  }

  private static String refusal(UsageRules rules, String user) {
    return rules.access().refusal(user, rules.groups().of(user));
  }

  @Test
  void allowsAllUsersWithoutRules() {
    assertThat(refusal(rules("# no rule yet\n\n", "", ""), "ann")).isNull();
  }

  @Test
  void withAnAllowLineOnlyAllowedUsersHaveAccess() {
    UsageRules rules = rules("ann\nallow group etl # nightly", "etl: bob, carl", "");
    assertThat(refusal(rules, "ann")).isNull();
    assertThat(refusal(rules, "carl")).isNull();
    assertThat(refusal(rules, "dora")).isEqualTo("user dora is not allowed to use this cluster");
  }

  @Test
  void readsUserNamesOfCompanies() {
    UsageRules rules =
        rules(
            "allow user jane.doe\nallow group etl\nsvc+etl$1@CORP.EXAMPLE",
            "etl: host$, bob@CORP",
            "user svc+etl$1@CORP.EXAMPLE applications=7");
    for (String user : new String[] {"jane.doe", "svc+etl$1@CORP.EXAMPLE", "host$", "bob@CORP"}) {
      assertThat(refusal(rules, user)).as(user).isNull();
    }
    assertThat(refusal(rules, "jane")).contains("is not allowed");
    assertThat(rules.limits("svc+etl$1@CORP.EXAMPLE").applications()).isEqualTo(7);
  }

  @Test
  void denialsTakePrecedence() {
    UsageRules rules =
        rules(
            "allow user ann\nallow group etl\ndeny user bob\ndeny group left",
            "etl: bob\nleft: ann",
            "");
    assertThat(refusal(rules, "bob")).isEqualTo("user bob is denied access to this cluster");
    assertThat(refusal(rules, "ann")).contains("in group left");
    assertThat(refusal(rules("deny user bob", "", ""), "ann")).isNull();
  }

  private static Limits limits(long applications, long bytes, String... inFile) {
    Map<String, Limits.Source> sources =
        Stream.of(inFile).collect(Collectors.toMap(name -> name, name -> Limits.Source.FILE));
    return new Limits(applications, bytes, 500, -1, -1, sources);
  }

  @Test
  void looksUpLimitsByUserThenGroupThenDefaultThenConfiguration() {
    UsageRules rules =
        rules(
            "",
            "analysts: ann, bob\nheavy: ann",
            """
            default partitions=500
            group heavy applications=3 bytes=2k
            group analysts applications=5
            user ann bytes=unlimited
            carl = 7
            """);
    // The first of her groups in the file applies.
    assertThat(rules.limits("ann")).isEqualTo(limits(3, -1, "applications", "bytes", "partitions"));
    assertThat(rules.limits("bob")).isEqualTo(limits(5, 1000, "applications", "partitions"));
    assertThat(rules.limits("carl")).isEqualTo(limits(7, 1000, "applications", "partitions"));
    assertThat(rules.limits("dora")).isEqualTo(limits(20, 1000, "partitions"));
  }

  @Test
  void readsAQuotaFileOfUniffle() {
    UsageRules rules = rules("", "", "user1=20\nuser2 = 30\ndefault=9");
    assertThat(rules.limits("user1").applications()).isEqualTo(20);
    assertThat(rules.limits("user2").applications()).isEqualTo(30);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "user ann|expected \"default LIMIT=",
        "user ann disks=3|found \"disks=3\"",
        "default bytes=lots|bytes: expected a size such as 500GiB or \"unlimited\", found \"lots\"",
        "default applications=-4|applications: expected an integer from 0",
        "user a=b=c|expected \"default LIMIT=",
        "nonsense|expected \"default LIMIT="
      })
  void refusesInvalidQuotas(String line, String problem) {
    assertThatThrownBy(() -> QuotaRules.parse("# first\n" + line, CONFIGURED))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("line 2 \"" + line + "\": ")
        .hasMessageContaining(problem);
  }

  @Test
  void refusesInvalidLinesOfAccessAndGroups() {
    assertThatThrownBy(() -> AccessRules.parse("permit user ann"))
        .hasMessage("line 1 \"permit user ann\": expected \"allow\" or \"deny\" as first word");
    assertThatThrownBy(() -> AccessRules.parse("allow host h"))
        .hasMessageContaining("expected \"user\" or \"group\"");
    assertThatThrownBy(() -> AccessRules.parse("allow ann"))
        .hasMessageContaining("expected \"allow user NAME\"");
    assertThatThrownBy(() -> Groups.parse("etl ann bob"))
        .hasMessage("line 1 \"etl ann bob\": expected \"group: user, user\"");
    assertThat(Groups.parse("etl: ann,bob  carl\netl: dora").of("dora")).isEqualTo(Set.of("etl"));
  }
}
