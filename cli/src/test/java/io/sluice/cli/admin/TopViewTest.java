package io.sluice.cli.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.coordinator.api.Resource;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TopViewTest {
  private static final Resource.Memory MEMORY = new Resource.Memory(25, 100, 0);
  private static final Resource.DiskSpace SPACE = new Resource.DiskSpace(1000, 900);

  private final TopView view = new TopView(2, ZoneOffset.UTC);

  private static Resource.Cluster cluster(long time) {
    return new Resource.Cluster(
        "1",
        time,
        1,
        true,
        Map.of("ACTIVE", 2, "UNHEALTHY", 0),
        new Resource.ApplicationTotals(1, 1, 0),
        MEMORY,
        SPACE,
        new Resource.Storage(0, 2048),
        new Resource.Traffic(3, 10, 20));
  }

  private static Resource.Server server(String name, String state, long push) {
    return new Resource.Server(
        new Resource.Identity(name, "h", 1, 2, 3, ""),
        state,
        List.of(),
        4,
        MEMORY,
        SPACE,
        List.of(),
        new Resource.Traffic(5, push, 0),
        new Resource.ServerData(0, 7, 8),
        null);
  }

  private static Resource.Application application(String name, String state, long stored) {
    return new Resource.Application(
        name,
        "ann",
        "1",
        state,
        new Resource.Lease(61_000, 1),
        1,
        stored,
        1,
        new Resource.FallbackSummary(0, ""),
        2.5);
  }

  private List<String> lines(long time, List<Resource.Server> servers, long big, long small) {
    return view.show(
            new TopView.Snapshot(
                cluster(time),
                servers,
                List.of(
                    application("big", "LIVE", big),
                    application("small", "LIVE", small),
                    application("over", "ENDED", 1))))
        .lines()
        .toList();
  }

  @Test
  void listsInactiveServersFirstThenTheBusiest() {
    List<String> lines =
        lines(
            0,
            List.of(
                server("idle", "ACTIVE", 1),
                server("busy", "ACTIVE", 5000),
                server("sick", "UNHEALTHY", 0)),
            1,
            0);

    assertThat(lines.get(0)).isEqualTo("1970-01-01 00:00:00  servers: 2 ACTIVE");
    assertThat(lines.get(1))
        .isEqualTo(
            "push 10 B/s  fetch 20 B/s  stored 2.0 KiB  memory 25%  disks 10%  bad disks 0"
                + "  fallbacks 0");
    assertThat(lines.get(4)).startsWith("sick");
    assertThat(lines.get(5)).startsWith("busy").contains("4.9 KiB");
    assertThat(lines.get(6)).isEqualTo("and 1 more");
  }

  @Test
  void showsTheGrowthRateOfApplications() {
    List<String> first = lines(10_000, List.of(), 1 << 20, 0);
    List<String> second = lines(12_000, List.of(), 1 << 20, 4096);
    List<String> third = lines(13_000, List.of(), 0, 4096);

    assertThat(first.get(6)).startsWith("big").contains(" - ");
    assertThat(second.get(6)).startsWith("small").contains("2.0 KiB", "1m1s", "2.5");
    assertThat(second.get(7)).startsWith("big").contains(" 0 B ");
    assertThat(third.get(7)).startsWith("big").contains("-1.0 MiB");
    assertThat(String.join("\n", first)).doesNotContain("over");
  }
}
