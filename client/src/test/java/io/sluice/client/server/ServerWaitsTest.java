package io.sluice.client.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.server.ServerTimes.ServerTime;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ServerWaitsTest {
  private final ServerWaits waits = new ServerWaits();

  @Test
  void countsAWaitForItsServerOnly() {
    waits.exchanged("a", 10);
    waits.exchanged("b", 20);
    waits.waited("b", 5);
    waits.answered("a");
    waits.answered("b");

    assertThat(waits.times().byServer())
        .isEqualTo(Map.of("a", new ServerTime(10, 0, 0, 0), "b", new ServerTime(20, 5, 0, 0)));
  }

  @Test
  void theNextReplyDeterminesTheCause() {
    waits.waited("a", 5);
    waits.waited("a", 2);
    waits.shortOfMemory("a");
    waits.waited("a", 100);
    waits.usedDisk("a", 60);
    waits.waited("a", 1);
    waits.usedDisk("a", 60);
    waits.waited("a", 3);

    assertThat(waits.times().byServer())
        .containsOnly(Map.entry("a", new ServerTime(0, 111, 7, 61)));
  }

  @Test
  void aNegativeTimeOfAServerCountsAsNone() {
    waits.waited("a", 5);
    waits.usedDisk("a", -3);

    assertThat(waits.times().byServer()).containsOnly(Map.entry("a", new ServerTime(0, 5, 0, 0)));
  }

  @Test
  void timesOfTwoTasksAddUp() {
    ServerTimes one = new ServerTimes(Map.of("a", new ServerTime(1, 2, 3, 4)));
    ServerTimes other =
        new ServerTimes(
            Map.of("a", new ServerTime(10, 20, 30, 40), "b", new ServerTime(5, 6, 7, 8)));

    assertThat(one.plus(other).byServer())
        .isEqualTo(Map.of("a", new ServerTime(11, 22, 33, 44), "b", new ServerTime(5, 6, 7, 8)));
    assertThat(ServerTimes.NONE.plus(one)).isEqualTo(one);
    assertThat(one.plus(ServerTimes.NONE)).isEqualTo(one);
  }
}
