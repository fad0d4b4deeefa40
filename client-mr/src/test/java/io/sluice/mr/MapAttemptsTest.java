package io.sluice.mr;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.push.MapAttempt;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.junit.jupiter.api.Test;

class MapAttemptsTest {
  @Test
  void twoAttemptsOfATaskDiffer() {
    assertThat(of("attempt_1_0001_m_000007_0")).isEqualTo(new MapAttempt(7L << 32, 7));
    // As numbered after a restart of the application master.
    assertThat(of("attempt_1_0001_m_000007_1001")).isEqualTo(new MapAttempt((7L << 32) + 1001, 7));
    assertThat(of("attempt_1_0001_m_000000_1")).isEqualTo(new MapAttempt(1, 0));
  }

  private static MapAttempt of(String name) {
    return MapAttempts.of(TaskAttemptID.forName(name));
  }
}
