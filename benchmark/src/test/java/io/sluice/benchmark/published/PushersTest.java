package io.sluice.benchmark.published;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.TransportKind;
import io.sluice.common.config.HostPort;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class PushersTest {
  @Test
  void planIsPassedInArguments() {
    Pushers.Plan plan =
        new Pushers.Plan(new HostPort("127.0.0.1", 1), "127.0.0.2", TransportKind.GRPC, 2, 3, 4, 5);

    assertThat(Pushers.Plan.parse(plan.toArguments().toArray(String[]::new))).isEqualTo(plan);
  }

  @Test
  void resultIsPassedInALine() {
    Histogram taskUs = new Histogram(3);
    taskUs.recordValue(1_000);
    taskUs.recordValue(5_000_000);

    PusherResult read = PusherResult.parse(new PusherResult(7, taskUs).toLine());

    assertThat(read.retries()).isEqualTo(7);
    assertThat(read.taskUs()).isEqualTo(taskUs);
  }

  @Test
  void refusesOtherLines() {
    assertThatThrownBy(() -> PusherResult.parse("OutOfMemoryError"))
        .hasMessageContaining("expected 2 fields, found \"OutOfMemoryError\"");
    assertThatThrownBy(() -> PusherResult.parse("7 AAAA")).isInstanceOf(RuntimeException.class);
  }
}
