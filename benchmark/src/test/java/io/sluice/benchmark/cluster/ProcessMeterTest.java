package io.sluice.benchmark.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ProcessMeterTest {
  private static final int TOUCHED = 64 << 20;

  private final ProcessMeter meter = new ProcessMeter(ProcessHandle.current().pid());

  @Test
  void seesTheCpuTimeOfThisProcess() {
    double before = meter.cpuSeconds();
    long sum = 0;
    double now;
    do {
      sum += ByteBuffer.allocate(1 << 10).limit();
      now = meter.cpuSeconds();
    } while (now <= before);
    assertThat(now).isGreaterThan(before);
    assertThat(sum).isPositive();
  }

  @Test
  void seesThePeakOfResidentMemorySinceTheReset() throws Exception {
    meter.resetResidentPeak();
    long before = meter.residentPeakBytes();
    ByteBuffer touched = ByteBuffer.allocateDirect(TOUCHED);
    for (int i = 0; i < TOUCHED; i += 1024) {
      touched.put(i, (byte) 1);
    }

    assertThat(meter.residentPeakBytes()).isGreaterThan(before + TOUCHED / 2);
    assertThat(meter.residentBytes()).isPositive().isLessThanOrEqualTo(meter.residentPeakBytes());
    assertThat(touched.get(0)).isEqualTo((byte) 1);
  }
}
