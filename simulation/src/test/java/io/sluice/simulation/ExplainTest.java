package io.sluice.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.coordinator.explain.Cause;
import io.sluice.coordinator.explain.Finding;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: the explanation of an application names the one slow part of its cluster first. Method: the
 * production classes of clients, servers and a coordinator in virtual time; one server of three has
 * a slow disk, or is paused most of the time; three seeds.
 */
class ExplainTest {
  private static final long FAST_DISK = 1L << 30;
  private static final long SLOW_DISK = 1L << 20;
  private static final String SLOW = "server-1";

  private static final Carriers CARRIERS = new Carriers();

  @AfterAll
  static void close() {
    CARRIERS.close();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void namesAThrottledDiskFirst(long seed) throws Exception {
    try (ExplainedJob job =
        new ExplainedJob(seed, CARRIERS, List.of(FAST_DISK, SLOW_DISK, FAST_DISK))) {
      List<Finding> causes = job.run();

      Finding first = causes.get(0);
      assertThat(first.cause()).as("causes %s", causes).isEqualTo(Cause.DISK);
      assertThat(first.server()).isEqualTo(SLOW);
      assertThat(first.observed()).contains("its slowest disk");
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void namesASlowServerFirst(long seed) throws Exception {
    try (ExplainedJob job =
        new ExplainedJob(seed, CARRIERS, List.of(FAST_DISK, FAST_DISK, FAST_DISK))) {
      job.slowDown(SLOW, TimeUnit.MILLISECONDS.toNanos(400), TimeUnit.MILLISECONDS.toNanos(500));
      List<Finding> causes = job.run();

      Finding first = causes.get(0);
      assertThat(first.cause()).as("causes %s", causes).isEqualTo(Cause.SERVER);
      assertThat(first.server()).isEqualTo(SLOW);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void namesNoServerIfAllAreAlike(long seed) throws Exception {
    try (ExplainedJob job =
        new ExplainedJob(seed, CARRIERS, List.of(FAST_DISK, FAST_DISK, FAST_DISK))) {
      assertThat(job.run())
          .allSatisfy(finding -> assertThat(finding.server()).as("%s", finding).isNull());
    }
  }
}
