package io.sluice.client.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.SluiceException;
import io.sluice.common.fuzz.DecoderFuzz;
import io.sluice.proto.ClientConfigurationReply;
import io.sluice.proto.ClientSetting;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AssignmentFuzzTest {
  @Test
  void bytesAreRejectedOrDecodeToAUsableAssignment() {
    ShuffleAssignment moved =
        TestAssignments.of(7, 3, 2)
            .replaceFailed("s0", TestAssignments.server(4))
            .replaceFull("s1", new int[] {12, 13}, TestAssignments.server(5));
    DecoderFuzz.of(TestAssignments.of(1, 1, 1).toBytes(), moved.toBytes())
        .refusing(SluiceException.class)
        .run(
            input -> {
              ShuffleAssignment read = ShuffleAssignment.fromBytes(input);
              assertThat(ShuffleAssignment.fromBytes(read.toBytes())).isEqualTo(read);
              assertThat(read.rangeCount()).isBetween(1, input.length);
              for (int range = 0; range < read.rangeCount(); range++) {
                assertThat(read.rangeOf(read.firstPartition(range))).isEqualTo(range);
                assertThat(read.serversOf(read.lastPartition(range))).isNotEmpty();
                for (int replica = 0; replica < read.replicaCount(range); replica++) {
                  int server = read.serverIndex(range, replica);
                  assertThat(read.replacementOf(server)).isBetween(0, read.servers().size() - 1);
                }
              }
            });
  }

  @Test
  void servedSettingsNeverContainSecurityKeys() {
    String right =
        ServedSettings.of(
                ClientConfigurationReply.newBuilder()
                    .addSettings(ClientSetting.newBuilder().setKey("rss.a").setValue("1"))
                    .addSettings(ClientSetting.newBuilder().setKey("spark.rss.b").setForced(true))
                    .build())
            .toText();
    DecoderFuzz.of(right)
        .refusing(IllegalArgumentException.class)
        .run(
            input -> {
              String text = new String(input, StandardCharsets.ISO_8859_1);
              assertThat(ServedSettings.fromText(text).changes("spark.", Map.of()).keySet())
                  .allMatch(key -> key.startsWith("spark.rss."))
                  .noneMatch(key -> key.startsWith("spark.rss.security."))
                  .noneMatch(key -> key.startsWith("spark.rss.coordinator."));
            });
  }
}
