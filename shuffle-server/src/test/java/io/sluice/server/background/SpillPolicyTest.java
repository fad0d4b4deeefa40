package io.sluice.server.background;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.server.memory.MemoryPressure;
import org.junit.jupiter.api.Test;

class SpillPolicyTest {
  private final SpillPolicy policy = new SpillPolicy(new SpillConfig(40, 100));

  @Test
  void startsAboveTheHighWatermarkAndStopsAtTheLowWatermark() {
    assertThat(bytes(75, 0, 0)).isZero();
    assertThat(bytes(76, 0, 0)).isEqualTo(51);
    assertThat(bytes(76, 40, 0)).as("some is being written").isEqualTo(11);
    assertThat(bytes(36, 0, 0)).as("that has been written").isEqualTo(11);
    assertThat(bytes(36, 11, 0)).isZero();
    assertThat(bytes(36, 0, 0)).as("new bytes begin nothing below the high mark").isZero();
  }

  @Test
  void continuesAfterAFailedWrite() {
    assertThat(bytes(76, 51, 0)).isZero();
    assertThat(bytes(50, 0, 0)).isZero();
    policy.writeFailed();
    assertThat(bytes(50, 0, 0)).isEqualTo(25);
  }

  @Test
  void stopsWhenFewUsedBytesCanBeSpilled() {
    assertThat(policy.bytesToSpill(pressure(90, 0), 5, 0, 0)).as("tight").isEqualTo(65);
    assertThat(policy.bytesToSpill(pressure(70, 0), 10, 0, 0)).isEqualTo(45);
    assertThat(policy.bytesToSpill(pressure(70, 0), 9, 0, 0)).isZero();
    assertThat(policy.bytesToSpill(pressure(70, 0), 60, 0, 0)).isZero();
  }

  @Test
  void freesMemoryForAWaitingBody() {
    assertThat(bytes(50, 0, 50)).as("fits").isZero();
    assertThat(bytes(50, 0, 51)).isEqualTo(25);
    assertThat(bytes(25, 0, 90)).isEqualTo(15);
    assertThat(bytes(10, 0, 90)).isZero();
  }

  @Test
  void spillsWhenTheLogHasTooManyEntries() {
    assertThat(extents(100)).isZero();
    assertThat(extents(101)).isEqualTo(40);
    assertThat(extents(51)).isEqualTo(40);
    assertThat(extents(50)).isZero();
    assertThat(extents(51)).isZero();
  }

  @Test
  void runsAreNotMuchLargerThanNeeded() {
    assertThat(policy.runBytes(1)).isEqualTo(10);
    assertThat(policy.runBytes(25)).isEqualTo(25);
    assertThat(policy.runBytes(1000)).isEqualTo(40);
  }

  private long bytes(long used, long spilling, long wanted) {
    return policy.bytesToSpill(pressure(used, wanted), used - spilling, spilling, 0);
  }

  private long extents(long buffered) {
    return policy.bytesToSpill(pressure(10, 0), 10, 0, buffered);
  }

  private static MemoryPressure pressure(long used, long wanted) {
    return new MemoryPressure(used, 100, 75, 25, wanted);
  }
}
