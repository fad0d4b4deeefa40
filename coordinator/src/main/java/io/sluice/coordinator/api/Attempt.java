package io.sluice.coordinator.api;

import io.sluice.coordinator.state.Decision;
import io.sluice.coordinator.state.MetadataRecord;
import io.sluice.coordinator.state.StateOwner;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * The outcome of an admin operation that the state's thread decides: what was done, or why not.
 *
 * @param refusal empty: it was done
 */
record Attempt<R>(R done, Optional<ApiException> refusal) {
  private static final int UNAVAILABLE = 503;

  /** A decision that changes the state. */
  static <R> Decision<Attempt<R>> of(List<MetadataRecord> records, R done) {
    return new Decision<>(records, new Attempt<>(done, Optional.empty()));
  }

  static <R> Decision<Attempt<R>> refused(int status, String why) {
    return Decision.unchanged(new Attempt<>(null, Optional.of(new ApiException(status, why))));
  }

  /**
   * Has the state's thread decide.
   *
   * @return what was done, once it is in the log; or an {@link ApiException}
   */
  static <R> CompletionStage<R> ask(StateOwner owner, StateOwner.Decider<Attempt<R>> decider) {
    return owner
        .ask(decider)
        .handle(
            (attempt, failure) -> {
              if (failure != null) {
                throw new CompletionException(
                    new ApiException(UNAVAILABLE, "not now: " + failure.getMessage(), failure));
              }
              if (attempt.refusal().isPresent()) {
                throw new CompletionException(attempt.refusal().get());
              }
              return attempt.done();
            });
  }
}
