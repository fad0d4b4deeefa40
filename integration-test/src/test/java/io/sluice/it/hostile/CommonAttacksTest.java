package io.sluice.it.hostile;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The attacks of every build, without TLS. {@link HostileTest} also runs them with TLS. */
class CommonAttacksTest extends HostileSuite {
  @BeforeAll
  void prepare() throws Exception {
    prepareCluster(Encryption.CLEAR);
  }

  @AfterAll
  void stop() {
    stopCluster();
  }

  @ParameterizedTest
  @MethodSource("io.sluice.it.hostile.AttackCase#ordinary")
  void withstands(AttackCase attack) throws Exception {
    check(attack);
  }
}
