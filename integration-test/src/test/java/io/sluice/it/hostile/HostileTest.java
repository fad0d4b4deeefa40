package io.sluice.it.hostile;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every attack, without and with TLS. */
@ParameterizedClass
@EnumSource(Encryption.class)
@Tag("nightly")
class HostileTest extends HostileSuite {
  @Parameter Encryption encryption;

  @BeforeParameterizedClassInvocation
  void prepare() throws Exception {
    prepareCluster(encryption);
  }

  @AfterParameterizedClassInvocation
  void stop() {
    stopCluster();
  }

  @ParameterizedTest
  @EnumSource
  void withstands(AttackCase attack) throws Exception {
    check(attack);
  }
}
