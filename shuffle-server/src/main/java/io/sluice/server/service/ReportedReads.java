package io.sluice.server.service;

import io.sluice.proto.ReportedBlock;
import io.sluice.server.disk.DamageReports;
import io.sluice.server.log.ShuffleLog;
import io.sluice.transport.server.FetchedBytes;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Delays fetches of clients that report damaged blocks until the blocks are verified, at most for
 * {@link #MAX_DELAY_MS}. Thread-safe.
 */
final class ReportedReads {
  /** A disk that is slower than this is handled by its health checks. */
  static final long MAX_DELAY_MS = 5_000;

  private final DamageReports reports;
  private final ScheduledExecutorService scheduler;

  /**
   * @param scheduler ends delays; owned by the caller
   */
  ReportedReads(DamageReports reports, ScheduledExecutorService scheduler) {
    this.reports = reports;
    this.scheduler = scheduler;
  }

  /**
   * Verifies blocks, then reads. Never blocks.
   *
   * @param read starts the read; must not throw. Called once, on any thread, or never if the result
   *     was cancelled before
   * @return the result of the read; cancelling it cancels the read
   */
  CompletableFuture<FetchedBytes> readAfter(
      ShuffleLog log,
      List<ReportedBlock> reported,
      Supplier<CompletableFuture<FetchedBytes>> read) {
    CompletableFuture<?>[] verified =
        reported.stream()
            .map(block -> reports.verify(log, block.getPartition(), block.getOffset()))
            .toArray(CompletableFuture<?>[]::new);
    CompletableFuture<Void> all = CompletableFuture.allOf(verified);
    CompletableFuture<FetchedBytes> answer = new CompletableFuture<>();
    limit(all);
    CompletableFuture<Void> unused = all.thenRun(() -> start(read, answer));
    return answer;
  }

  private void limit(CompletableFuture<Void> verified) {
    if (verified.isDone()) {
      return;
    }
    try {
      Future<?> timeout =
          scheduler.schedule(() -> verified.complete(null), MAX_DELAY_MS, TimeUnit.MILLISECONDS);
      CompletableFuture<Void> unused = verified.thenRun(() -> timeout.cancel(false));
    } catch (RejectedExecutionException e) {
      // The server is stopping.
      verified.complete(null);
    }
  }

  private static void start(
      Supplier<CompletableFuture<FetchedBytes>> read, CompletableFuture<FetchedBytes> answer) {
    if (answer.isDone()) {
      return;
    }
    CompletableFuture<FetchedBytes> reading = read.get();
    CompletableFuture<FetchedBytes> unused =
        answer.whenComplete((bytes, failure) -> reading.cancel(false));
    forward(reading, answer);
  }

  private static void forward(
      CompletableFuture<FetchedBytes> reading, CompletableFuture<FetchedBytes> answer) {
    CompletableFuture<FetchedBytes> unused =
        reading.whenComplete(
            (bytes, failure) -> {
              if (failure != null) {
                answer.completeExceptionally(failure);
              } else if (!answer.complete(bytes)) {
                bytes.close();
              }
            });
  }
}
