package io.sluice.server.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MachineMemoryTest {
  @Test
  void reservesDirectMemoryForTheNetwork() {
    assertThat(new MachineMemory(1L << 40, 1 << 30, 800).arenaMaxBytes()).isEqualTo(700);
    assertThat(new MachineMemory(1L << 40, 1 << 30, 100L << 30).arenaMaxBytes())
        .isEqualTo((100L << 30) - (256L << 20));
  }

  @Test
  void readsTheLimitsOfTheJvm() {
    MachineMemory memory = MachineMemory.ofThisProcess();
    assertThat(memory.physicalBytes()).isGreaterThan(64L << 20);
    assertThat(memory.heapMaxBytes()).isEqualTo(Runtime.getRuntime().maxMemory());
    assertThat(memory.directMaxBytes()).isPositive();
  }
}
