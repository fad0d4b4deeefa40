package io.sluice.coordinator.api;

import io.sluice.common.config.HostPort;
import io.sluice.common.error.PeerText;
import io.sluice.coordinator.raft.CoordinatorGroup;
import io.sluice.coordinator.raft.GroupConfig;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/** The members of the quorum, and changes of them. Thread-safe. */
public final class Membership {
  private static final int BAD_REQUEST = 400;
  private static final int NOT_FOUND = 404;
  private static final int CONFLICT = 409;
  private static final int UNAVAILABLE = 503;

  private final Optional<CoordinatorGroup> group;
  private final Executor executor;
  private final InstantSource clock;

  /**
   * @param group empty: this coordinator shares its state with none
   * @param executor for calls that block for seconds
   */
  public Membership(Optional<CoordinatorGroup> group, Executor executor, InstantSource clock) {
    this.group = group;
    this.executor = executor;
    this.clock = clock;
  }

  Resource members() {
    List<Resource.Coordinator> members =
        group
            .map(
                shared ->
                    shared.members().stream()
                        .map(
                            member ->
                                new Resource.Coordinator(member, member.equals(shared.self())))
                        .toList())
            .orElse(List.of());
    return new Resource.Coordinators(clock.millis(), members);
  }

  /**
   * Adds a coordinator.
   *
   * @return a stage that completes when it has the log and a vote
   */
  CompletionStage<Resource> add(String text) {
    return change(
        text,
        (shared, address) -> {
          shared.add(address);
          return address + " is a member of the quorum";
        });
  }

  /** Removes a coordinator, which may be lost. */
  CompletionStage<Resource> remove(String text) {
    return change(
        text,
        (shared, address) -> {
          if (!shared.members().contains(address)) {
            throw failed(NOT_FOUND, "not a member of the quorum: " + address);
          }
          if (shared.members().size() <= 2) {
            throw failed(
                CONFLICT, "a quorum of " + shared.members().size() + " cannot lose a member");
          }
          if (shared.self().equals(address)) {
            throw failed(
                CONFLICT, address + " leads: stop it, and remove it when another one leads");
          }
          shared.remove(address);
          return address + " is no longer a member of the quorum";
        });
  }

  /** A change of the members; returns one line that describes it. */
  private interface Change {
    String apply(CoordinatorGroup shared, String address) throws IOException;
  }

  private CompletionStage<Resource> change(String text, Change change) {
    if (group.isEmpty()) {
      return CompletableFuture.failedFuture(
          new ApiException(
              CONFLICT,
              "this coordinator has no quorum: set "
                  + GroupConfig.COORDINATORS.name()
                  + " to several addresses"));
    }
    String address;
    try {
      address = HostPort.parse(text).toString();
    } catch (IllegalArgumentException e) {
      return CompletableFuture.failedFuture(
          new ApiException(BAD_REQUEST, PeerText.clipped(e.getMessage(), 300)));
    }
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return new Resource.Done(clock.millis(), change.apply(group.get(), address));
          } catch (IOException e) {
            throw failed(
                UNAVAILABLE,
                "members of the quorum not changed: " + PeerText.clipped(e.getMessage(), 500));
          }
        },
        executor);
  }

  private static CompletionException failed(int status, String detail) {
    return new CompletionException(new ApiException(status, detail));
  }
}
