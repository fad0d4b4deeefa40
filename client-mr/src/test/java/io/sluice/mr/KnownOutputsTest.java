package io.sluice.mr;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.mr.KnownOutputs.Output;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class KnownOutputsTest {
  private final AtomicLong nanos = new AtomicLong();
  private final KnownOutputs outputs = new KnownOutputs(8, nanos::get);

  @Test
  void readsWhenHalfOfTheMapsAreKnown() throws InterruptedException {
    for (int map : new int[] {6, 2, 5, 1}) {
      outputs.add(output(map, 0));
    }
    assertThat(outputs.take()).extracting(Output::map).containsExactly(1, 2, 5, 6);
  }

  @Test
  void readsWhenAllRemainingMapsAreKnown() throws InterruptedException {
    for (int map = 0; map < 7; map++) {
      outputs.finish(TaskID.forName("task_1_0001_m_00000" + map));
    }
    outputs.add(output(7, 0));
    assertThat(outputs.take()).extracting(Output::map).containsExactly(7);
  }

  @Test
  void readsAfterAQuietPeriod() throws InterruptedException {
    outputs.add(output(3, 0));
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(5));
    assertThat(outputs.take()).extracting(Output::map).containsExactly(3);
  }

  @Test
  void leavesOutObsoleteAndFinishedOutputs() throws InterruptedException {
    for (int map = 0; map < 6; map++) {
      outputs.add(output(map, 0));
    }
    outputs.forget(output(1, 0).attempt());
    outputs.finish(output(2, 0).attempt().getTaskID());
    outputs.add(output(2, 1));

    assertThat(outputs.take()).extracting(Output::map).containsExactly(0, 3, 4, 5);
    assertThat(outputs.isNeeded(output(1, 0).attempt())).isFalse();
    assertThat(outputs.isNeeded(output(1, 1).attempt())).isTrue();
    assertThat(outputs.isNeeded(output(2, 1).attempt())).isFalse();
  }

  @Test
  void aSecondAttemptReplacesTheFirst() throws InterruptedException {
    for (int map = 0; map < 4; map++) {
      outputs.add(output(map, 0));
    }
    outputs.forget(output(3, 0).attempt());
    outputs.add(output(3, 1));
    assertThat(outputs.take())
        .last()
        .extracting(one -> one.attempt().toString())
        .isEqualTo("attempt_1_0001_m_000003_1");
  }

  @Test
  void aLossIsReportedAgainUntilItIsObsolete() {
    TaskAttemptID attempt = output(0, 0).attempt();
    outputs.markLost(attempt);
    outputs.markLost(attempt);

    assertThat(outputs.lossesToReport(1_000)).containsExactly(attempt);
    assertThat(outputs.lossesToReport(1_000)).isEmpty();
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
    assertThat(outputs.lossesToReport(1_000)).containsExactly(attempt);
    assertThat(outputs.maxReports()).isEqualTo(2);

    outputs.forget(attempt);
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
    assertThat(outputs.lossesToReport(1_000)).isEmpty();
    outputs.markLost(attempt);
    assertThat(outputs.lossesToReport(1_000)).as("known to be obsolete").isEmpty();
  }

  private static Output output(int map, int attempt) {
    return new Output(TaskAttemptID.forName("attempt_1_0001_m_00000" + map + "_" + attempt), null);
  }
}
