package io.sluice.demo.staging;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class CometConfTest {
  @Test
  void keepsMemoryAndShuffleManagerOfTheConfiguration() {
    Map<String, String> conf =
        new HashMap<>(Map.of("spark.memory.offHeap.size", "3g", "spark.shuffle.manager", "other"));

    CometConf.addTo(conf, List.of(Path.of("comet.jar")));

    assertThat(conf)
        .containsEntry("spark.memory.offHeap.size", "3g")
        .containsEntry("spark.shuffle.manager", "other")
        .containsEntry("spark.executor.extraClassPath", "comet.jar");
  }
}
