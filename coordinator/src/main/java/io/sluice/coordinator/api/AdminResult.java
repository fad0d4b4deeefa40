package io.sluice.coordinator.api;

import io.sluice.coordinator.state.Decision;
import io.sluice.coordinator.state.MetadataRecord;
import io.sluice.coordinator.state.StateOwner;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * The outcome of an admin operation that the state thread decides: a result or a refusal.
 *
 * @param done the result; null if refused
 * @param refusal empty if the operation was carried out
 */
record AdminResult<R>(R done, Optional<ApiException> refusal) {
  private static final int UNAVAILABLE = 503;

  /** Returns a decision to carry out the operation. */
  static <R> Decision<AdminResult<R>> of(List<MetadataRecord> records, R done) {
    return new Decision<>(records, new AdminResult<>(done, Optional.empty()));
  }

  static <R> Decision<AdminResult<R>> refused(int status, String why) {
    return Decision.unchanged(new AdminResult<>(null, Optional.of(new ApiException(status, why))));
  }

  /**
   * Submits an operation to the state thread.
   *
   * @return the result, once it is in the metadata log; or an {@link ApiException}
   */
  static <R> CompletionStage<R> submit(
      StateOwner owner, StateOwner.Decider<AdminResult<R>> decider) {
    return owner
        .submit(decider)
        .handle(
            (result, failure) -> {
              if (failure != null) {
                throw new CompletionException(
                    new ApiException(
                        UNAVAILABLE,
                        "not available now, retry later: " + failure.getMessage(),
                        failure));
              }
              if (result.refusal().isPresent()) {
                throw new CompletionException(result.refusal().get());
              }
              return result.done();
            });
  }
}
