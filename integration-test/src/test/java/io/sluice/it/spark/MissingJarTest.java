package io.sluice.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.spark.SparkApplication.Outcome;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An application that names the shuffle manager of Sluice, but does not have the client jar. */
class MissingJarTest {
  /** The symptom in docs/troubleshooting.md. */
  private static final String MESSAGE =
      "ClassNotFoundException: org.apache.spark.shuffle.RssShuffleManager";

  @TempDir static Path directory;

  @Test
  void theApplicationEndsWithoutTheJar() throws IOException, InterruptedException {
    Outcome found =
        SparkApplication.submittedWithJars(
                SparkVersion.current(), directory.resolve("application"), "127.0.0.1:1")
            .set("spark.jars", "")
            .run(List.of("groupByKey"));

    assertThat(found.exitCode()).isNotZero();
    assertThat(found.log()).contains(MESSAGE);
  }
}
