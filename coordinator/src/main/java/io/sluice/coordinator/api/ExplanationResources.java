package io.sluice.coordinator.api;

import io.sluice.coordinator.cluster.Application;
import io.sluice.coordinator.cluster.Fallbacks;
import io.sluice.coordinator.cluster.ServerTableConfig;
import io.sluice.coordinator.cluster.TaskReport;
import io.sluice.coordinator.explain.Diagnosis;
import io.sluice.coordinator.explain.Finding;
import io.sluice.coordinator.history.ClusterHistory;
import io.sluice.coordinator.history.FinishedApplication;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Explanations of live and finished applications. Pure functions. */
final class ExplanationResources {
  /** Skew from which on the web pages mark a shuffle. */
  private static final double SKEWED = 3;

  private final Supplier<ServerTableConfig> servers;
  private final ClusterHistory history;

  ExplanationResources(Supplier<ServerTableConfig> servers, ClusterHistory history) {
    this.servers = servers;
    this.history = history;
  }

  /** Returns the explanation of an application; empty if the application is unknown. */
  Optional<Resource> of(RequestState request, String name) {
    Application known = request.view().applications().get(name);
    boolean live = known != null && known.state() == Application.State.LIVE;
    Optional<FinishedApplication> finished =
        live ? Optional.empty() : history.finished().latest(name);
    if (known == null && finished.isEmpty()) {
      return Optional.empty();
    }
    Optional<TaskReport> reported =
        live ? history.tasks().of(name) : finished.flatMap(FinishedApplication::tasks);
    TaskReport report = reported.orElse(TaskReport.NONE);
    Fallbacks fallbacks = known == null ? finished.orElseThrow().fallbacks() : known.fallbacks();
    return Optional.of(
        new Resource.Explanation(
            request.time(),
            name,
            reported.isPresent(),
            new Resource.Transferred(
                report.bytes().pushed(),
                report.bytes().localWritten(),
                report.bytes().read(),
                report.bytes().localRead()),
            new Resource.Retries(
                report.retries().pushes(),
                report.retries().reads(),
                report.retries().replacementServers()),
            report.concurrentTasks(),
            Diagnosis.of(report, fallbacks, request.view().servers().all()).stream()
                .map(ExplanationResources::cause)
                .toList(),
            report.servers().stream().map(ExplanationResources::server).toList(),
            skewed(request, name)));
  }

  private static Resource.Cause cause(Finding finding) {
    return new Resource.Cause(
        finding.cause().name(),
        finding.server(),
        finding.shuffle(),
        finding.taskMs(),
        finding.jobMs(),
        finding.observed(),
        finding.change());
  }

  private static Resource.ServerWaits server(TaskReport.ServerTime time) {
    return new Resource.ServerWaits(
        time.server(),
        time.pushedBytes(),
        time.readBytes(),
        time.pushWaitMs(),
        time.readWaitMs(),
        time.memoryWaitMs(),
        time.diskWaitMs());
  }

  private List<Resource.SkewedShuffle> skewed(RequestState request, String application) {
    List<Resource.SkewedShuffle> skewed = new ArrayList<>();
    new StoredDataIndex(request.view(), servers.get(), request.nowMs(), application::equals)
        .shuffles(application)
        .forEach(
            (shuffle, parts) -> {
              Double skew = StoredDataIndex.skew(parts);
              if (skew != null && skew >= SKEWED) {
                skewed.add(
                    new Resource.SkewedShuffle(
                        shuffle,
                        skew,
                        parts.stream()
                            .mapToLong(part -> part.load().getLargestPartitionBytes())
                            .max()
                            .orElse(0)));
              }
            });
    return skewed;
  }
}
