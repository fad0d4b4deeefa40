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

/** Asks the job's application master for the newest assignment, and for ways round a server. */
final class MasterAssignments implements ReplacementServers, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MasterAssignments.class);

  /** More than the application master takes to ask every coordinator once. */
  private static final long ANSWER_MS = 30_000;

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
   * The newest assignment as the application master knows it, or as it is known here. Asked on the
   * calling thread, which is the task's: it asks its master for leave to go on with every step, and
   * waits for it no longer than Hadoop does. The master has the answer at hand.
   */
  ShuffleAssignment newest(ShuffleAssignment known) {
    return answer(known, CompletionEventsRequest.NONE);
  }

  @Override
  public CompletionStage<ShuffleAssignment> replace(
      ShuffleAssignment known, String server, Cause cause, List<Integer> partitions) {
    return switch (cause) {
      case FAILED -> ask(known, known.indexOf(server));
      // It takes more all the same.
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
    return answer.completeOnTimeout(known, ANSWER_MS, TimeUnit.MILLISECONDS);
  }

  /** Most attempts need none. */
  private synchronized ExecutorService asking() {
    if (closed) {
      throw new RejectedExecutionException("the attempt has ended");
    }
    if (asking == null) {
      asking = Executors.newSingleThreadExecutor(DaemonThreads.named("sluice-further-servers"));
    }
    return asking;
  }

  private ShuffleAssignment answer(ShuffleAssignment known, int server) {
    try {
      return CompletionEventsRequest.ask(master, attempt, known, server);
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "the application master did not say how to go on attempt={} server={} reason={}",
          attempt,
          server,
          e.toString());
      return known;
    }
  }

  /** Ends what is asked now. Idempotent. */
  @Override
  public synchronized void close() {
    closed = true;
    if (asking != null) {
      asking.shutdownNow();
    }
  }
}
