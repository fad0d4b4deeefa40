package io.sluice.coordinator.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.coordinator.cluster.Application;
import io.sluice.coordinator.cluster.TaskReport;
import io.sluice.coordinator.cluster.TaskReport.ServerTime;
import io.sluice.coordinator.history.ClusterHistory;
import io.sluice.coordinator.history.FinishedApplication;
import io.sluice.coordinator.history.FinishedApplication.Outcome;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FinishRecorderTest {
  private static final Instant AT = Instant.ofEpochMilli(1_795_000_009_000L);

  private final ClusterHistory history = new ClusterHistory();

  private static TaskReport report(int servers) {
    List<ServerTime> times =
        IntStream.range(0, servers)
            .mapToObj(i -> new ServerTime("s" + i + ":1", 0, 0, 0, 0, 0, 0))
            .toList();
    return new TaskReport(TaskReport.NONE.bytes(), TaskReport.NONE.retries(), 1, times, List.of());
  }

  private static ClusterView live(int applications) {
    List<MetadataRecord> registered = new ArrayList<>();
    for (int i = 0; i < applications; i++) {
      registered.add(new LoggedChange.ApplicationRegistered(name(i), "ann", "1", Set.of(), 1000));
    }
    return ClusterView.startedAt(0).apply(registered);
  }

  private static String name(int i) {
    return "application-" + i;
  }

  private static LoggedChange expired(int i) {
    return new LoggedChange.ApplicationExpired(name(i), 60_000);
  }

  private FinishRecorder recorder(boolean waits) {
    return new FinishRecorder(history.tasks(), AT, waits);
  }

  private static FinishedApplication of(Optional<LoggedChange> entry) {
    return ((LoggedChange.ApplicationFinished) entry.orElseThrow()).finished();
  }

  @Test
  void recordsAnExpiredApplicationWithItsLastReport() {
    history.tasks().reported(name(0), report(2));

    FinishedApplication entry = of(recorder(false).entry(expired(0), live(1)));

    assertThat(entry.outcome()).isEqualTo(Outcome.EXPIRED);
    assertThat(entry.finishedAt()).isEqualTo(AT);
    assertThat(entry.durationMs()).isEqualTo(60_000);
    assertThat(entry.tasks()).contains(report(2));
  }

  @Test
  void prefersTheReportOfTheSameRound() {
    history.tasks().reported(name(0), report(2));
    FinishRecorder recorder = recorder(false);
    ClusterView view = live(1);
    Application last = view.applications().get(name(0));

    assertThat(recorder.entry(new MetadataRecord.TasksReported(name(0), report(5)), view))
        .isEmpty();
    FinishedApplication entry =
        of(recorder.entry(new LoggedChange.ApplicationEnded(last.ended(9000)), view));

    assertThat(entry.outcome()).isEqualTo(Outcome.ENDED);
    assertThat(entry.durationMs()).isEqualTo(8000);
    assertThat(entry.tasks()).contains(report(5));
  }

  @Test
  void recordsNoUnknownOrEndedApplication() {
    Application unknown = Application.registered("unknown", "", "", 0).ended(1);
    ClusterView ended =
        ClusterView.startedAt(0).apply(List.of(new LoggedChange.ApplicationEnded(unknown)));

    assertThat(recorder(false).entry(new LoggedChange.ApplicationEnded(unknown), live(1)))
        .isEmpty();
    assertThat(recorder(false).entry(new LoggedChange.ApplicationEnded(unknown), ended)).isEmpty();
    assertThat(recorder(false).entry(expired(7), live(1))).isEmpty();
  }

  @Test
  void anEntryThatWaitsForTheLogHasNoReport() {
    history.tasks().reported(name(0), report(2));

    assertThat(of(recorder(true).entry(expired(0), live(1))).tasks()).isEmpty();
  }

  @Test
  void theEntriesOfARoundAreBounded() {
    int count = 12_000;
    ClusterView view = live(count);
    FinishRecorder recorder = recorder(false);
    long bytes = 0;
    int whole = 0;
    int recorded = 0;
    for (int i = 0; i < count; i++) {
      history.tasks().reported(name(i), report(CheckedTaskReport.MAX_SERVERS));
      Optional<LoggedChange> entry = recorder.entry(expired(i), view);
      if (entry.isPresent()) {
        bytes += of(entry).bytes();
        whole += of(entry).tasks().isPresent() ? 1 : 0;
        recorded++;
      }
    }

    assertThat(bytes).isLessThanOrEqualTo(FinishRecorder.MAX_BYTES);
    assertThat(whole).as("with reports of about 4 KB").isBetween(200, 300);
    assertThat(recorded).as("most of about 140 bytes").isBetween(5000, count - 1);
  }
}
