package io.sluice.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.List;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.BlockManagerId$;
import org.junit.jupiter.api.Test;
import scala.Option;

class MapLocationTest {
  private static BlockManagerId executor(String id, String host, int port) {
    return BlockManagerId$.MODULE$.apply(id, host, port, Option.empty());
  }

  private static BlockManagerId throughSpark(BlockManagerId id) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(id);
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      return (BlockManagerId) in.readObject();
    }
  }

  @Test
  void anAttemptWithoutLocalOutputHasAUniqueLocation() throws Exception {
    assertThat(MapLocation.of(7)).isEqualTo(MapLocation.of(7)).isNotEqualTo(MapLocation.of(8));
    assertThat(MapLocation.localOf(MapLocation.of(7))).isEmpty();
    BlockManagerId location = throughSpark(MapLocation.atServers(7, "a\tb"));
    assertThat(MapLocation.localOf(location)).isEmpty();
    assertThat(MapLocation.isPlaceholder(location, 7)).isTrue();
    assertThat(MapLocation.isOf(location, "a\tb")).isTrue();
    assertThat(MapLocation.isOf(location, "b")).isFalse();
    assertThat(MapLocation.isOf(MapLocation.of(7), "1")).isFalse();
    assertThat(MapLocation.isPlaceholder(MapLocation.of(7), 7)).isTrue();
    assertThat(MapLocation.isPlaceholder(MapLocation.of(7), 70)).isFalse();
  }

  @Test
  void aFailedAttemptNamesServersInsteadOfAPlaceholderHost() throws Exception {
    BlockManagerId failed =
        throughSpark(MapLocation.failed(7, List.of("a.example:1", "[::1]:2", "c", "d:1", "e:1")));

    assertThat(failed.host()).isEqualTo("shuffle-servers=a.example,[--1],c,+2");
    assertThat(MapLocation.isPlaceholder(failed, 7)).isTrue();
    assertThat(MapLocation.isPlaceholder(failed, 8)).isFalse();
    assertThat(MapLocation.isOf(failed, "1")).isFalse();
    assertThat(MapLocation.isPlaceholder(MapLocation.failed(7, List.of()), 7)).isTrue();
  }

  @Test
  void localOutputIsFoundAtTheExecutorOfTheAttempt() throws Exception {
    for (BlockManagerId at :
        new BlockManagerId[] {
          executor("3", "10.0.0.1", 7337),
          executor("a\tb", "host.example", 65535),
          executor("driver", "[::1]", 1)
        }) {
      for (boolean needed : new boolean[] {true, false}) {
        BlockManagerId location = throughSpark(MapLocation.withLocal(12, at, needed));

        assertThat(MapLocation.localOf(location)).contains(new MapLocation.Local(at, needed));
        assertThat(MapLocation.isPlaceholder(location, 12)).isTrue();
        assertThat(MapLocation.isOf(location, at.executorId())).isTrue();
        assertThat(location.executorId()).isEqualTo(MapLocation.of(12).executorId());
        assertThat(location.host()).isEqualTo(MapLocation.of(12).host());
      }
    }
  }

  @Test
  void afterMigrationLocalOutputIsAtTheExecutorThatSparkNames() {
    BlockManagerId moved = executor("5", "10.0.0.2", 4000);

    assertThat(MapLocation.localOf(moved)).contains(new MapLocation.Local(moved, true));
    assertThat(MapLocation.isPlaceholder(moved, 5)).isFalse();
  }

  @Test
  void refusesAPlaceholderWithAnotherTopology() {
    BlockManagerId strange =
        BlockManagerId$.MODULE$.apply("sluice-1", "sluice.invalid", 1, Option.apply("rack"));

    assertThatThrownBy(() -> MapLocation.localOf(strange)).hasMessageContaining("rack");
  }
}
