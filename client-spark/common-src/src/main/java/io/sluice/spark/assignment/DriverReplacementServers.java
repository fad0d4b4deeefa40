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
 * Asks the driver for replacement servers. Tasks of one process that see the same failure send one
 * request and share its reply. Thread-safe.
 */
public final class DriverReplacementServers implements ReplacementServers {
  private static final Logger LOG = LoggerFactory.getLogger(DriverReplacementServers.class);

  private final DriverRequests driver;
  private final KnownAssignments knownAssignments;
  private final ConcurrentMap<AssignmentRequest, CompletableFuture<ShuffleAssignment>> asked =
      new ConcurrentHashMap<>();

  public DriverReplacementServers(DriverRequests driver, KnownAssignments knownAssignments) {
    this.driver = driver;
    this.knownAssignments = knownAssignments;
  }

  @Override
  public CompletionStage<ShuffleAssignment> replace(
      ShuffleAssignment known, String server, Cause cause, List<Integer> partitions) {
    ShuffleAssignment newest = knownAssignments.newest(known);
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
   * Asks the driver for the newest assignment of a shuffle.
   *
   * @return the driver's assignment or, if the driver does not answer, the newest that this process
   *     knows; never fails
   */
  public CompletionStage<ShuffleAssignment> newest(ShuffleAssignment known) {
    return ask(AssignmentRequest.newest(known.shuffle().getShuffle()), known);
  }

  /** As {@link #newest}, but waits for the reply; every request has a timeout. */
  public ShuffleAssignment awaitNewest(ShuffleAssignment known) {
    try {
      return newest(known).toCompletableFuture().get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return knownAssignments.newest(known);
    } catch (ExecutionException e) {
      throw new IllegalStateException(
          "internal error: request for the newest assignment failed", e);
    }
  }

  private CompletionStage<ShuffleAssignment> ask(
      AssignmentRequest request, ShuffleAssignment known) {
    CompletableFuture<ShuffleAssignment> mine = new CompletableFuture<>();
    CompletableFuture<ShuffleAssignment> other = asked.putIfAbsent(request, mine);
    if (other != null) {
      return other;
    }
    CompletionStage<byte[]> answer;
    try {
      answer = driver.ask(request.toBytes());
    } catch (RuntimeException e) {
      answer = CompletableFuture.failedStage(e);
    }
    answer.whenComplete(
        (bytes, failure) -> {
          asked.remove(request, mine);
          mine.complete(taken(bytes, failure, request, known));
        });
    return mine;
  }

  private ShuffleAssignment taken(
      byte[] bytes, Throwable failure, AssignmentRequest request, ShuffleAssignment known) {
    Throwable wrong = failure;
    if (wrong == null) {
      try {
        if (bytes.length > 0) {
          ShuffleAssignment answer = ShuffleAssignment.fromBytes(bytes);
          if (answer.shuffle().equals(known.shuffle())) {
            knownAssignments.update(answer);
          }
        }
      } catch (SluiceException e) {
        wrong = e;
      }
    }
    if (wrong != null) {
      LOG.warn(
          "request for a replacement server or the newest assignment failed shuffle={} server={}"
              + " cause={} error=\"{}\"",
          request.shuffle(),
          request.server(),
          request.cause(),
          wrong.toString());
    }
    return knownAssignments.newest(known);
  }
}
