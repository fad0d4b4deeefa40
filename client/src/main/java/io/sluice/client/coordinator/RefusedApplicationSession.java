package io.sluice.client.coordinator;

import io.sluice.client.coordinator.ShuffleRegistration.Reason;
import io.sluice.client.coordinator.ShuffleRegistration.Refused;
import io.sluice.proto.ServerId;
import java.util.Collection;
import java.util.Optional;

/** Of an application that cannot even say who it is: no shuffle gets servers. Immutable. */
public final class RefusedApplicationSession implements ApplicationSession {
  private final String why;

  /**
   * @param why for the engine's warning
   */
  public RefusedApplicationSession(String why) {
    this.why = why;
  }

  @Override
  public ShuffleRegistration registerShuffle(int shuffle, int partitions) {
    return new Refused(Reason.DENIED, why);
  }

  @Override
  public Optional<ServerId> replacementServer(
      int shuffle, int partitions, Collection<String> excluded) {
    return Optional.empty();
  }

  @Override
  public void unregisterShuffle(int shuffle) {
    // None was assigned.
  }

  @Override
  public void close() {
    // Nothing was begun.
  }
}
