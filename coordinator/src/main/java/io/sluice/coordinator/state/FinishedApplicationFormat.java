package io.sluice.coordinator.state;

import io.sluice.coordinator.cluster.Fallbacks;
import io.sluice.coordinator.cluster.TaskReport;
import io.sluice.coordinator.history.FinishedApplication;
import io.sluice.coordinator.history.FinishedApplication.Outcome;
import io.sluice.proto.LoggedFinishedApplication;
import io.sluice.proto.ServerTime;
import io.sluice.proto.ShuffleReads;
import java.time.Instant;
import java.util.Optional;

/** Encodes finished applications as messages of {@code coordinator_log.proto}. */
final class FinishedApplicationFormat {
  private FinishedApplicationFormat() {}

  static LoggedFinishedApplication encode(FinishedApplication finished) {
    LoggedFinishedApplication.Builder logged =
        LoggedFinishedApplication.newBuilder()
            .setNumber(finished.number())
            .setApplication(finished.name())
            .setUser(finished.user())
            .setClientVersion(finished.clientVersion())
            .setExpired(finished.outcome() == Outcome.EXPIRED)
            .setFinishedAtMs(finished.finishedAt().toEpochMilli())
            .setDurationMs(finished.durationMs())
            .setShuffles(finished.shuffles())
            .setFallbackShuffles(finished.fallbacks().shuffles())
            .setLastFallbackReason(finished.fallbacks().lastReason());
    finished.tasks().ifPresent(tasks -> logged.setTasks(tasks(tasks)));
    return logged.build();
  }

  static FinishedApplication decode(LoggedFinishedApplication logged) {
    return new FinishedApplication(
        logged.getNumber(),
        logged.getApplication(),
        logged.getUser(),
        logged.getClientVersion(),
        logged.getExpired() ? Outcome.EXPIRED : Outcome.ENDED,
        Instant.ofEpochMilli(logged.getFinishedAtMs()),
        logged.getDurationMs(),
        logged.getShuffles(),
        new Fallbacks(logged.getFallbackShuffles(), logged.getLastFallbackReason()),
        logged.hasTasks()
            ? Optional.of(CheckedTaskReport.of(logged.getTasks()))
            : Optional.empty());
  }

  private static io.sluice.proto.TaskReport tasks(TaskReport report) {
    io.sluice.proto.TaskReport.Builder tasks =
        io.sluice.proto.TaskReport.newBuilder()
            .setPushedBytes(report.bytes().pushed())
            .setLocalWrittenBytes(report.bytes().localWritten())
            .setReadBytes(report.bytes().read())
            .setLocalReadBytes(report.bytes().localRead())
            .setPushRetries(report.retries().pushes())
            .setReadRetries(report.retries().reads())
            .setReplacementServers(report.retries().replacementServers())
            .setConcurrentTasks(report.concurrentTasks());
    for (TaskReport.ServerTime server : report.servers()) {
      tasks.addServers(
          ServerTime.newBuilder()
              .setServer(server.server())
              .setPushedBytes(server.pushedBytes())
              .setReadBytes(server.readBytes())
              .setPushWaitMs(server.pushWaitMs())
              .setReadWaitMs(server.readWaitMs())
              .setMemoryWaitMs(server.memoryWaitMs())
              .setDiskWaitMs(server.diskWaitMs()));
    }
    for (TaskReport.ShuffleReads shuffle : report.shuffles()) {
      tasks.addShuffles(
          ShuffleReads.newBuilder()
              .setShuffle(shuffle.shuffle())
              .setReads(shuffle.reads())
              .setBytes(shuffle.bytes())
              .setDurationMs(shuffle.durationMs())
              .setLongestMs(shuffle.longestMs())
              .setLongestBytes(shuffle.longestBytes()));
    }
    return tasks.build();
  }
}
