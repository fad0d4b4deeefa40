package io.sluice.mr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.SluiceException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.task.reduce.MapHost;
import org.apache.hadoop.mapreduce.task.reduce.MapOutput;
import org.apache.hadoop.mapreduce.task.reduce.ShuffleClientMetrics;
import org.junit.jupiter.api.Test;

class AttemptOutputTest {
  private static final TaskAttemptID ATTEMPT = TaskAttemptID.forName("attempt_1_0001_m_000003_0");

  private final List<String> done = new ArrayList<>();
  private final AttemptOutput<Object, Object> output = new AttemptOutput<>(ATTEMPT, 5);

  @Test
  void isCompleteWithItsLastSegmentAndAllBeforeIt() throws Exception {
    take(2, true);
    assertThat(output.isComplete()).isFalse();
    take(0, false);
    assertThat(output.isComplete()).isFalse();
    take(1, false);
    assertThat(output.isComplete()).isTrue();
    assertThat(output.segments()).isEqualTo(3);
    assertThat(output.bytes()).isEqualTo(30);

    output.commit();
    assertThat(done).containsExactly("commit 2", "commit 0", "commit 1");
  }

  @Test
  void abortsAllSegments() throws Exception {
    take(1, false);
    take(0, false);
    output.abort();
    assertThat(done).containsExactly("abort 1", "abort 0");
  }

  @Test
  void refusesUnexpectedSegments() throws Exception {
    take(0, false);
    take(2, false);
    assertThatThrownBy(() -> take(0, false)).isInstanceOf(SluiceException.class);
    assertThatThrownBy(() -> take(1, true)).as("last before another").isNotNull();
    take(3, true);
    assertThatThrownBy(() -> take(4, false)).isInstanceOf(SluiceException.class);
    assertThatThrownBy(() -> take(4, true)).isInstanceOf(SluiceException.class);
    take(1, false);
    assertThat(output.isComplete()).isTrue();
  }

  private void take(int index, boolean last) throws SluiceException {
    output.expect(new Segment(index, last, 12));
    output.add(new Part("" + index), 10);
  }

  private final class Part extends MapOutput<Object, Object> {
    private final String name;

    Part(String name) {
      super(ATTEMPT, 12, true);
      this.name = name;
    }

    @Override
    public void shuffle(
        MapHost host,
        InputStream input,
        long compressedLength,
        long decompressedLength,
        ShuffleClientMetrics metrics,
        Reporter reporter) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void commit() {
      done.add("commit " + name);
    }

    @Override
    public void abort() {
      done.add("abort " + name);
    }

    @Override
    public String getDescription() {
      return name;
    }
  }
}
