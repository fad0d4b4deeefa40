package io.sluice.coordinator.state;

import io.sluice.common.auth.Revocation;
import io.sluice.coordinator.cluster.Application;
import io.sluice.coordinator.cluster.DecommissionOrder;
import io.sluice.coordinator.cluster.ExcludeList;
import io.sluice.coordinator.cluster.Fallbacks;
import io.sluice.coordinator.cluster.RemoteDirectories;
import io.sluice.coordinator.cluster.TaskReport;
import io.sluice.coordinator.history.ClusterEvent;
import io.sluice.coordinator.history.Event;
import io.sluice.coordinator.history.FinishedApplication;
import io.sluice.coordinator.history.Throughput;
import io.sluice.coordinator.history.ThroughputBatch;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One logged change of each kind. */
final class Changes {
  private static final long AT_MS = 1_795_000_000_000L;

  private Changes() {}

  static List<LoggedChange> ofEachKind() {
    return List.of(
        new LoggedChange.ExclusionsSet(ExcludeList.parse(List.of("node-7", "a:19999"))),
        new LoggedChange.DecommissionOrdered(
            new DecommissionOrder("a:19999", 1_794_000_000_000L, 60_000, true, AT_MS)),
        new LoggedChange.DecommissionEnded("a:19999", true),
        new LoggedChange.ApplicationEnded(
            Application.restored(
                "app-20261121-0001",
                "ann",
                "0.1.0",
                AT_MS - 1000,
                AT_MS,
                12,
                new Fallbacks(2, "NO_SERVERS"))),
        new LoggedChange.ApplicationForgotten("app-20261121-0000"),
        new LoggedChange.FallbacksReported("app-20261121-0002", new Fallbacks(3, "DENIED")),
        new LoggedChange.LimitsSet("bob", Map.of("applications", 5L, "bytes", -1L)),
        new LoggedChange.TokensRevoked(Revocation.ofUser("eve", AT_MS, AT_MS + 604_800_000)),
        new LoggedChange.TokensRevoked(
            Revocation.ofApplication("ann.app-20261121-0003", AT_MS + 1, AT_MS + 604_800_001)),
        new LoggedChange.RemoteDirectoriesChanged(
            new RemoteDirectories(
                "a:19999",
                "s3a://bucket/shuffle",
                List.of("ssd"),
                List.of("a_2", "b_1"),
                List.of("a_1"),
                AT_MS)),
        new LoggedChange.EventListed(
            new ClusterEvent(
                17,
                Instant.ofEpochMilli(AT_MS),
                Instant.ofEpochMilli(AT_MS + 5),
                3,
                Event.of(Event.Kind.SHUFFLE_REFUSED)
                    .ofApplication("app-20261121-0002")
                    .with("reason", "no server"))),
        new LoggedChange.ThroughputSampled(
            new ThroughputBatch(
                List.of(
                    new Throughput(AT_MS, 1, 2, 3, 4), new Throughput(AT_MS + 5000, 5, 6, 7, 8)),
                Map.of("a:19999", List.of(new Throughput(AT_MS + 5000, 5, 6, 7, 8))))),
        new LoggedChange.ApplicationRegistered(
            "app-20261121-0003", "ann", "0.1.0", java.util.Set.of(), AT_MS),
        new LoggedChange.ApplicationExpired("app-20261121-0003", 60_001),
        new LoggedChange.ApplicationFinished(
            new FinishedApplication(
                4,
                "app-20261121-0004",
                "ann",
                "0.1.0",
                FinishedApplication.Outcome.EXPIRED,
                Instant.ofEpochMilli(AT_MS),
                90_000,
                7,
                new Fallbacks(1, "DENIED"),
                Optional.of(
                    new TaskReport(
                        new TaskReport.Bytes(1, 2, 3, 4),
                        new TaskReport.Retries(5, 6, 7),
                        8,
                        List.of(new TaskReport.ServerTime("a:19999", 9, 10, 11, 12, 13, 14)),
                        List.of(new TaskReport.ShuffleReads(15, 16, 17, 18, 19, 20)))))));
  }
}
