package io.sluice.coordinator.state;

import io.sluice.coordinator.history.ClusterHistory;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

/** Copies of the logged state, for backups. Thread-safe. */
public final class StateCopies {
  private final StateOwner owner;
  private final ClusterHistory history;

  /**
   * The state between two rounds of the state thread.
   *
   * @param leading whether this coordinator led then, so that no committed change is missing
   */
  public record Copy(boolean leading, List<LoggedChange> changes) {
    /** The records of a snapshot of this state. Takes milliseconds for a large state. */
    public List<byte[]> records() {
      return changes.stream().map(RecordFormat::encode).toList();
    }
  }

  /**
   * Number of entries of each kind in a copied state.
   *
   * @param exclusions excluded servers
   * @param limits users with limits set over the API
   * @param revocations revoked users and applications
   * @param decommissions ordered decommissions
   * @param applications live applications
   */
  public record Summary(
      int exclusions, int limits, int revocations, int decommissions, int applications) {
    /**
     * Counts the entries of records.
     *
     * @throws IOException if a record is damaged, or of a newer version; the message is one line
     */
    public static Summary of(List<byte[]> records) throws IOException {
      ClusterView view = ClusterView.startedAt(0).apply(StateLog.decoded(records));
      return new Summary(
          view.orders().excludedByApi().size(),
          view.limits().all().size(),
          view.orders().revocations().all().size(),
          view.orders().decommissions().size(),
          view.applications().liveCount());
    }

    @Override
    public String toString() {
      return "exclusions="
          + exclusions
          + " usersWithLimits="
          + limits
          + " revocations="
          + revocations
          + " decommissions="
          + decommissions
          + " liveApplications="
          + applications;
    }
  }

  public StateCopies(StateOwner owner, ClusterHistory history) {
    this.owner = owner;
    this.history = history;
  }

  /**
   * Copies the state, whether this coordinator leads or not.
   *
   * @return completed on the state thread, so dependent stages must not block; completed
   *     exceptionally if the queue is full or the coordinator stops
   */
  public CompletableFuture<Copy> copy() {
    CompletableFuture<Copy> copied = new CompletableFuture<>();
    boolean accepted =
        owner.observe(
            (view, nowMs) ->
                Decision.unchanged(new Copy(owner.leads(), LoggedState.of(view, history))),
            new StateOwner.Outcome<Copy>() {
              @Override
              public void decided(Copy reply) {
                copied.complete(reply);
              }

              @Override
              public void failed(Throwable cause) {
                copied.completeExceptionally(cause);
              }
            });
    if (!accepted) {
      copied.completeExceptionally(
          new RejectedExecutionException("the queue of this coordinator is full: retry later"));
    }
    return copied;
  }
}
