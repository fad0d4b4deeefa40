package io.sluice.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.spark.SparkApplication.Outcome;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The digests with which suites compare their results are those of Spark. */
@Tag("nightly")
class BuiltInDigestsTest {
  @TempDir static Path directory;

  @Test
  void digestsAreThoseOfTheBuiltInShuffle() throws IOException, InterruptedException {
    List<String> jobs = BuiltInDigests.jobs().stream().sorted().toList();

    Outcome own = new SparkApplication(directory.resolve("own")).run(jobs);

    assertThat(own.exitCode()).as(own.log()).isZero();
    for (String job : jobs) {
      assertThat(own.digest(job)).as(job).isEqualTo(BuiltInDigests.of(job));
    }
  }
}
