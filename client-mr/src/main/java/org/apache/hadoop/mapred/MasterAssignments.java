package org.apache.hadoop.mapred;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.push.ReplacementServers;
import io.sluice.common.net.DaemonThreads;
import io.sluice.mr.CompletionEventsRequest;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks the job's application master for the newest assignment and for replacement servers. */
final class MasterAssignments implements ReplacementServers, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MasterAssignments.class);

  /** Longer than the application master needs to ask every coordinator once. */
  private static final long ANSWER_TIMEOUT_MS = 30_000;

  private final CompletionEventsRequest.Master master;
  private final TaskAttemptID attempt;
  // Guarded by this.
  private ExecutorService asking;
  private boolean closed;

  MasterAssignments(CompletionEventsRequest.Master master, TaskAttemptID attempt) {
    this.master = master;
    this.attempt = attempt;
  }

  /**
   * The application master's newest assignment, or {@code known} if the request fails. Blocks the
   * task thread with Hadoop's RPC timeout; the master replies from memory.
   */
  ShuffleAssignment newest(ShuffleAssignment known) {
    return answer(known, CompletionEventsRequest.NONE);
  }

  @Override
  public CompletionStage<ShuffleAssignment> replace(
      ShuffleAssignment known, String server, Cause cause, List<Integer> partitions) {
    return switch (cause) {
      case FAILED -> ask(known, known.indexOf(server));
      // A full server still accepts data.
      case FULL -> CompletableFuture.completedFuture(known);
    };
  }

  private CompletableFuture<ShuffleAssignment> ask(ShuffleAssignment known, int server) {
    CompletableFuture<ShuffleAssignment> answer = new CompletableFuture<>();
    try {
      asking().execute(() -> answer.complete(answer(known, server)));
    } catch (RejectedExecutionException ended) {
      answer.complete(known);
    }
    return answer.completeOnTimeout(known, ANSWER_TIMEOUT_MS, TimeUnit.MILLISECONDS);
  }

  /** Created on demand: most attempts need no thread. */
  private synchronized ExecutorService asking() {
    if (closed) {
      throw new RejectedExecutionException("the attempt has ended");
    }
    if (asking == null) {
      asking = Executors.newSingleThreadExecutor(DaemonThreads.named("sluice-replacement-servers"));
    }
    return asking;
  }

  private ShuffleAssignment answer(ShuffleAssignment known, int server) {
    try {
      return CompletionEventsRequest.ask(master, attempt, known, server);
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "request to the application master for the newest assignment failed attempt={}"
              + " serverIndex={} reason=\"{}\"",
          attempt,
          server,
          e.toString());
      return known;
    }
  }

  /** Cancels pending requests. Idempotent. */
  @Override
  public synchronized void close() {
    closed = true;
    if (asking != null) {
      asking.shutdownNow();
    }
  }
}
