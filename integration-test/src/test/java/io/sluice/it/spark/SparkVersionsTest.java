package io.sluice.it.spark;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * {@link ComparedJobs} on the newest Spark version in every build, on all others nightly. The other
 * suites use {@link SparkVersion#current()}.
 */
@TestInstance(Lifecycle.PER_CLASS)
class SparkVersionsTest {
  private static final SparkVersion NEWEST = SparkVersion.SPARK_4_2;

  @TempDir static Path directory;

  private ComparedJobs jobs;

  @BeforeAll
  void startCluster() throws IOException, InterruptedException {
    jobs = new ComparedJobs(directory);
  }

  @AfterAll
  void stopCluster() {
    if (jobs != null) {
      jobs.close();
    }
  }

  static Stream<SparkVersion> versions() {
    return Arrays.stream(SparkVersion.values()).filter(version -> version != NEWEST);
  }

  @Test
  void jobsAreTheSameOnTheNewest() throws IOException, InterruptedException {
    jobsAreTheSame(NEWEST);
  }

  @ParameterizedTest
  @MethodSource("versions")
  @Tag("nightly")
  void jobsAreTheSame(SparkVersion spark) throws IOException, InterruptedException {
    jobs.compare(spark, EngineJava.ofTests());
  }
}
