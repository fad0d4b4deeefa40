package io.sluice.demo.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DriverSettingsTest {
  @Test
  void readsBackWhatItWrote(@TempDir Path directory) throws IOException {
    DriverSettings settings =
        new DriverSettings(
            Workload.TPCDS,
            Optional.of(directory.resolve("queries.jar")),
            0.05,
            directory.resolve("with space=and é"),
            directory.resolve("rows"),
            Map.of("spark.master", "local-cluster[2,1,1024]", "spark.local.dir", "C:\\odd path"));
    Path file = directory.resolve("settings.properties");

    settings.write(file);

    assertThat(DriverSettings.read(file)).isEqualTo(settings);
  }
}
