package io.sluice.coordinator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ServerTableTest {

  /**
   * Goal: the table is a sorted map that never changes under a reader. Method: seeded random
   * changes beside a TreeMap, old tables kept and compared.
   */
  @Test
  void behavesAsASortedMapThatIsCopiedOnChange() {
    SplittableRandom random = new SplittableRandom(11);
    ServerTable table = ServerTable.empty();
    Map<String, Server> model = new TreeMap<>();
    for (int step = 0; step < 3000; step++) {
      ServerTable before = table;
      var listedBefore = before.all().toArray();
      Server server =
          Servers.idle("h" + random.nextInt(40), 1 + random.nextInt(3))
              .assigned(random.nextInt(100));
      switch (random.nextInt(3)) {
        case 0 -> {
          table = table.without(server.name());
          model.remove(server.name());
        }
        case 1 -> {
          table = table.assigned(Map.of(server.name(), 5, "unknown:1", 7));
          model.computeIfPresent(server.name(), (name, known) -> known.assigned(5));
        }
        default -> {
          table = table.with(server);
          model.put(server.name(), server);
        }
      }
      assertThat(table.all()).as("step %d", step).containsExactlyElementsOf(model.values());
      assertThat(table.size()).isEqualTo(model.size());
      assertThat(table.get(server.name())).isEqualTo(model.get(server.name()));
      assertThat(before.all().toArray()).containsExactly(listedBefore);
    }
  }
}
