package io.sluice.spark.assignment;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.push.ReplacementServers;
import io.sluice.common.error.SluiceException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the driver for a way round a server. Tasks of one process that meet the same failure ask
 * once, and learn from each other's answers. Thread-safe.
 */
public final class DriverReplacementServers implements ReplacementServers {
  private static final Logger LOG = LoggerFactory.getLogger(DriverReplacementServers.class);

  private final DriverRequests driver;
  private final KnownAssignments learnt;
  private final ConcurrentMap<AssignmentRequest, CompletableFuture<ShuffleAssignment>> asked =
      new ConcurrentHashMap<>();

  public DriverReplacementServers(DriverRequests driver, KnownAssignments learnt) {
    this.driver = driver;
    this.learnt = learnt;
  }

  @Override
  public CompletionStage<ShuffleAssignment> replace(
      ShuffleAssignment known, String server, Cause cause, List<Integer> partitions) {
    ShuffleAssignment newest = learnt.newest(known);
    if (isAround(newest, server, cause, partitions)) {
      return CompletableFuture.completedFuture(newest);
    }
    return ask(
        new AssignmentRequest(known.shuffle().getShuffle(), server, cause, partitions), known);
  }

  private static boolean isAround(
      ShuffleAssignment assignment, String server, Cause cause, List<Integer> partitions) {
    return assignment.hasReplaced(server)
        || (cause == Cause.FULL && assignment.pushedTo(server, partitions).isEmpty());
  }

  /**
   * The newest assignment of a shuffle as the driver knows it.
   *
   * @return the driver's or, if it does not answer, the newest known here; never fails
   */
  public CompletionStage<ShuffleAssignment> newest(ShuffleAssignment known) {
    return ask(AssignmentRequest.newest(known.shuffle().getShuffle()), known);
  }

  /**
   * As {@link #newest}, waiting for the answer: for a bounded time, since every question has one.
   */
  public ShuffleAssignment awaitNewest(ShuffleAssignment known) {
    try {
      return newest(known).toCompletableFuture().get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return learnt.newest(known);
    } catch (ExecutionException e) {
      throw new IllegalStateException("an answer that cannot fail has failed", e);
    }
  }

  private CompletionStage<ShuffleAssignment> ask(
      AssignmentRequest question, ShuffleAssignment known) {
    CompletableFuture<ShuffleAssignment> mine = new CompletableFuture<>();
    CompletableFuture<ShuffleAssignment> other = asked.putIfAbsent(question, mine);
    if (other != null) {
      return other;
    }
    CompletionStage<byte[]> answer;
    try {
      answer = driver.ask(question.toBytes());
    } catch (RuntimeException e) {
      answer = CompletableFuture.failedStage(e);
    }
    answer.whenComplete(
        (bytes, failure) -> {
          asked.remove(question, mine);
          mine.complete(taken(bytes, failure, question, known));
        });
    return mine;
  }

  private ShuffleAssignment taken(
      byte[] bytes, Throwable failure, AssignmentRequest question, ShuffleAssignment known) {
    Throwable wrong = failure;
    if (wrong == null) {
      try {
        if (bytes.length > 0) {
          ShuffleAssignment answer = ShuffleAssignment.fromBytes(bytes);
          if (answer.shuffle().equals(known.shuffle())) {
            learnt.learn(answer);
          }
        }
      } catch (SluiceException e) {
        wrong = e;
      }
    }
    if (wrong != null) {
      LOG.warn(
          "the driver did not say how to go on shuffle={} server={} cause={} error=\"{}\"",
          question.shuffle(),
          question.server(),
          question.cause(),
          wrong.toString());
    }
    return learnt.newest(known);
  }
}
