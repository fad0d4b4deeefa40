package io.sluice.coordinator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ApplicationTableTest {

  private static List<Application> listed(ApplicationTable table) {
    List<Application> all = new ArrayList<>();
    table.forEach(all::add);
    return all;
  }

  /**
   * Goal: the table is a map that never changes under a reader, and counts right. Method: seeded
   * random changes beside a HashMap.
   */
  @Test
  void behavesAsAMapThatIsCopiedOnChange() {
    SplittableRandom random = new SplittableRandom(5);
    ApplicationTable table = ApplicationTable.empty();
    Map<String, Application> model = new HashMap<>();
    for (int step = 0; step < 3000; step++) {
      ApplicationTable before = table;
      List<Application> listedBefore = listed(before);
      String name = "app-" + random.nextInt(300);
      Application application = Application.registered(name, "ann", "1", step);
      switch (random.nextInt(3)) {
        case 0 -> {
          table = table.without(name);
          model.remove(name);
        }
        case 1 -> {
          table = table.with(application.ended(step));
          model.put(name, application.ended(step));
        }
        default -> {
          table = table.with(application);
          model.put(name, application);
        }
      }
      assertThat(table.get(name)).isEqualTo(model.get(name));
      assertThat(table.liveCount())
          .isEqualTo(
              (int)
                  model.values().stream()
                      .filter(one -> one.state() == Application.State.LIVE)
                      .count());
      assertThat(table.endedCount()).isEqualTo(model.size() - table.liveCount());
      if (step % 50 == 0) {
        assertThat(listed(table)).containsExactlyInAnyOrderElementsOf(model.values());
        assertThat(listed(before)).isEqualTo(listedBefore);
      }
    }
  }

  @Test
  void distinguishesApplicationsWithACommonPrefix() {
    ApplicationTable table =
        ApplicationTable.empty()
            .with(Application.registered("app-1", "ann", "1", 0))
            .with(Application.registered("app-13", "ann", "1", 0))
            .without("app-1");
    assertThat(table.get("app-1")).isNull();
    assertThat(table.get("app-13")).isNotNull();
  }
}
