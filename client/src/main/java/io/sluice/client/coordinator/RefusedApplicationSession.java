package io.sluice.client.coordinator;

import io.sluice.client.coordinator.ShuffleRegistration.Reason;
import io.sluice.client.coordinator.ShuffleRegistration.Refused;
import io.sluice.proto.ServerId;
import java.util.Collection;
import java.util.Optional;

/**
 * Session of an application whose identity or TLS settings are invalid: every shuffle is refused.
 * Immutable.
 */
public final class RefusedApplicationSession implements ApplicationSession {
  private final String reason;

  /**
   * @param reason reason for the warning of the engine
   */
  public RefusedApplicationSession(String reason) {
    this.reason = reason;
  }

  @Override
  public ShuffleRegistration registerShuffle(int shuffle, int partitions) {
    return new Refused(Reason.DENIED, reason);
  }

  @Override
  public Optional<ServerId> replacementServer(
      int shuffle, int partitions, Collection<String> excluded, String zone) {
    return Optional.empty();
  }

  @Override
  public void unregisterShuffle(int shuffle) {
    // No shuffle was assigned.
  }

  @Override
  public void close() {
    // There is nothing to close.
  }
}
