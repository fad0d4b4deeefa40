package io.sluice.common.auth;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UserNamesTest {
  @ParameterizedTest
  @ValueSource(strings = {"etl", "jane.doe", "svc@REALM", "host$", "a+b@c.d_e-f", ".", "9"})
  void acceptsNamesOfCompanies(String name) {
    assertThat(UserNames.isName(name)).isTrue();
    assertThat(UserNames.isApplication(UserNames.application(name, "app-1"))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a~b", "a b", "a:b", "a/b", "a=b", "a#b", "a\"b", "a\nb", "\u00e4"})
  void refusesNamesThatNeedEscapes(String name) {
    assertThat(UserNames.isName(name)).isFalse();
  }

  @Test
  void limitsTheLength() {
    assertThat(UserNames.isName("x".repeat(128))).isTrue();
    assertThat(UserNames.isName("x".repeat(129))).isFalse();
    assertThat(UserNames.isApplication("x".repeat(256))).isTrue();
    assertThat(UserNames.isApplication("x".repeat(257))).isFalse();
  }

  @Test
  void keepsTheEndOfALongApplication() {
    assertThat(UserNames.application("jane.doe", "app-1")).isEqualTo("jane.doe~app-1");
    assertThat(UserNames.application("x".repeat(128), "y".repeat(300) + "end"))
        .hasSize(256)
        .startsWith("x".repeat(128) + "~y")
        .endsWith("yend");
  }

  @Test
  void theOwnerIsDecidedByTheNameAlone() {
    Caller jane = new Caller(Caller.Kind.USER, "jane", Role.USER, "", Caller.ProvedBy.NOTHING);
    assertThat(jane.owns("jane~app")).isTrue();
    assertThat(jane.owns("jane~a~b")).isTrue();
    assertThat(jane.owns("jane.doe~app")).isFalse();
    assertThat(jane.owns("jane.app")).isFalse();
    assertThat(jane.owns("jane")).isFalse();
  }
}
