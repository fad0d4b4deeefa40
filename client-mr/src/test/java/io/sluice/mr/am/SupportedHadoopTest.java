package io.sluice.mr.am;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SupportedHadoopTest {
  @ParameterizedTest
  @ValueSource(strings = {"3.3.0", "3.3.6.7.1.9.0-387", "3.4.2", "3.10.1", "4.0.0-SNAPSHOT", "dev"})
  void acceptsSupportedAndUnknownVersions(String version) {
    assertThatCode(() -> SupportedHadoop.check(version)).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @ValueSource(strings = {"3.2.4", "3.0.0", "2.10.2", "2.7.3.2.6.5.0-292"})
  void refusesOlderVersionsInOneLine(String version) {
    assertThatThrownBy(() -> SupportedHadoop.check(version))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("does not support Hadoop " + version + ", but Hadoop 3.3 and later")
        .hasMessageNotContaining("\n");
  }
}
