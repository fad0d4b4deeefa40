package io.sluice.spark.ui;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.spark.stats.ShuffleCounters;
import java.util.List;
import java.util.Map;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.util.JsonProtocol$;
import org.junit.jupiter.api.Test;

class ShuffleStateTest {
  private static final ShuffleCounters COUNTERS =
      new ShuffleCounters(
          new ShuffleCounters.Writes(1, 2, 3, 4, 5, 6, 7, 8),
          new ShuffleCounters.Reads(9, 10, 11, 12, 13, 14, 15, 16, 17, 18),
          Map.of("a:1", new ShuffleCounters.AtServer(19, 20, 21, 22, 23, 24)));

  @Test
  void isReadFromAnEventLog() {
    ShuffleState state = new ShuffleState(7, 200, List.of("a:1", "b:2"), 3, "", COUNTERS, 4);

    SparkListenerEvent read =
        JsonProtocol$.MODULE$.sparkEventFromJson(
            JsonProtocol$.MODULE$.sparkEventToJsonString(state));

    assertThat(read)
        .isInstanceOfSatisfying(
            ShuffleState.class,
            found -> {
              assertThat(found.shuffleId).isEqualTo(7);
              assertThat(found.partitions).isEqualTo(200);
              assertThat(found.servers).containsExactly("a:1", "b:2");
              assertThat(found.generation).isEqualTo(3);
              assertThat(found.refusal).isEmpty();
              assertThat(found.counters).isEqualTo(COUNTERS);
              assertThat(found.wrongReceipts).isEqualTo(4);
            });
  }

  @Test
  void isReadFromAnEventLogWithoutServers() {
    String json =
        JsonProtocol$.MODULE$.sparkEventToJsonString(
            new ShuffleState(7, 200, List.of(), 3, "", COUNTERS, 4));
    String older = json.replaceFirst(",\"servers\":\\{[^{}]*\\{[^{}]*}}", "");
    assertThat(older).isNotEqualTo(json);

    assertThat(JsonProtocol$.MODULE$.sparkEventFromJson(older))
        .isInstanceOfSatisfying(
            ShuffleState.class,
            found -> {
              assertThat(found.counters.servers()).isEmpty();
              assertThat(found.counters.reads()).isEqualTo(COUNTERS.reads());
            });
  }

  @Test
  void isReadFromAnEventLogOfAnotherVersion() {
    String older =
        "{\"Event\":\"io.sluice.spark.ui.ShuffleState\",\"shuffleId\":7,\"partitions\":2}";

    SparkListenerEvent read = JsonProtocol$.MODULE$.sparkEventFromJson(older);

    assertThat(read)
        .isInstanceOfSatisfying(
            ShuffleState.class,
            found -> {
              assertThat(found.servers).isEmpty();
              assertThat(found.counters).isEqualTo(ShuffleCounters.ZERO);
              assertThat(found.wrongReceipts).isZero();
            });
  }
}
