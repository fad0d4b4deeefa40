package io.sluice.it.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.cluster.PluginJar;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class PluginJarTest {
  @Test
  void theJarContainsEveryClassThatItsClassesNeed() throws IOException {
    assertThat(PluginJar.missingClasses(Clusters.clientJar())).isEmpty();
  }
}
