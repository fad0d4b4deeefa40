package io.sluice.coordinator.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.coordinator.cluster.Application;
import io.sluice.coordinator.cluster.TaskReport;
import io.sluice.coordinator.cluster.TaskReport.ServerTime;
import io.sluice.coordinator.history.FinishedApplication.Outcome;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FinishedApplicationsTest {
  private static FinishedApplication finished(String name, String user, int servers) {
    List<ServerTime> times =
        IntStream.range(0, servers)
            .mapToObj(i -> new ServerTime("s" + i, 0, 0, 0, 0, 0, 0))
            .toList();
    TaskReport report =
        new TaskReport(TaskReport.NONE.bytes(), TaskReport.NONE.retries(), 1, times, List.of());
    return FinishedApplication.of(
        Application.registered(name, user, "1", 1000),
        Outcome.ENDED,
        5000,
        Instant.ofEpochMilli(7000),
        servers == 0 ? Optional.empty() : Optional.of(report));
  }

  private static List<String> names(FinishedApplications list) {
    return list.all().stream().map(FinishedApplication::name).toList();
  }

  @Test
  void aFinishedApplicationHasItsDuration() {
    FinishedApplication finished = finished("a", "ann", 0);

    assertThat(finished.durationMs()).isEqualTo(4000);
    assertThat(finished.finishedAt()).isEqualTo(Instant.ofEpochMilli(7000));
  }

  @Test
  void removesTheOldestBeyondTheMaximumNumber() {
    FinishedApplications list = new FinishedApplications(2, 1 << 20);
    list.add(finished("a", "ann", 0));
    list.add(finished("b", "ann", 0));
    list.add(finished("c", "ann", 0));

    assertThat(names(list)).containsExactly("b", "c");
    assertThat(list.all()).extracting(FinishedApplication::number).containsExactly(2L, 3L);
  }

  @Test
  void removesTheOldestBeyondTheMaximumSize() {
    long small = finished("a", "ann", 0).bytes();
    long large = finished("d", "ann", 9).bytes();
    FinishedApplications list = new FinishedApplications(100, large + small);
    list.add(finished("a", "ann", 0));
    list.add(finished("b", "ann", 0));
    list.add(finished("c", "ann", 0));
    list.add(finished("d", "ann", 9));
    assertThat(names(list)).containsExactly("c", "d");

    list.add(finished("e", "ann", 100));
    assertThat(list.all()).as("larger than the maximum").isEmpty();
    list.add(finished("f", "ann", 0));
    assertThat(list.all()).extracting(FinishedApplication::number).containsExactly(6L);
  }

  @Test
  void returnsPagesNewestFirst() {
    FinishedApplications list = new FinishedApplications();
    for (int i = 1; i <= 6; i++) {
      list.add(finished("a" + i, i % 2 == 0 ? "bob" : "ann", 0));
    }

    Page<FinishedApplication> first = list.page(2, Long.MAX_VALUE, one -> one.user().equals("bob"));
    Page<FinishedApplication> second =
        list.page(2, first.next().getAsLong(), one -> one.user().equals("bob"));

    assertThat(first.entries()).extracting(FinishedApplication::name).containsExactly("a6", "a4");
    assertThat(second.entries()).extracting(FinishedApplication::name).containsExactly("a2");
    assertThat(second.next()).isEmpty();
  }

  @Test
  void findsTheLatestOfAName() {
    FinishedApplications list = new FinishedApplications();
    list.add(finished("a", "ann", 0));
    list.add(finished("a", "ann", 3));
    list.add(finished("b", "ann", 0));

    assertThat(list.latest("a").orElseThrow().number()).isEqualTo(2);
    assertThat(list.latest("c")).isEmpty();
  }

  @Test
  void numbersSurviveACopy() {
    FinishedApplications list = new FinishedApplications(3, 1 << 20);
    for (int i = 0; i < 5; i++) {
      list.add(finished("a" + i, "ann", i));
    }
    FinishedApplications copy = new FinishedApplications(3, 1 << 20);
    list.all().forEach(copy::add);

    list.add(finished("z", "ann", 0));
    copy.add(finished("z", "ann", 0));

    assertThat(copy.all()).isEqualTo(list.all());
  }

  @Test
  void startsAgainAfterItWasCleared() {
    FinishedApplications list = new FinishedApplications();
    list.add(finished("a", "ann", 1));

    list.clear();
    list.add(finished("b", "ann", 1));

    assertThat(list.all()).extracting(FinishedApplication::number).containsExactly(1L);
  }
}
