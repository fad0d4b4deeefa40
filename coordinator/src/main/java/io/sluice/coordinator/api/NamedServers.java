package io.sluice.coordinator.api;

import io.sluice.common.error.PeerText;
import io.sluice.coordinator.cluster.Server;
import io.sluice.coordinator.state.StateOwner;
import io.sluice.proto.ServerId;
import io.sluice.proto.Status;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** Servers that requests name. Thread-safe. */
final class NamedServers {
  private static final int BAD_REQUEST = 400;
  private static final int NOT_FOUND = 404;
  private static final int CONFLICT = 409;

  private final StateOwner owner;

  NamedServers(StateOwner owner) {
    this.owner = owner;
  }

  /** Calls a server; an unknown one fails the result. */
  CompletionStage<Resource> call(String name, Function<ServerId, CompletionStage<Resource>> call) {
    Server server = owner.view().servers().get(name);
    return server == null
        ? CompletableFuture.failedFuture(
            new ApiException(NOT_FOUND, "unknown server: " + PeerText.quoted(name)))
        : call.apply(server.id());
  }

  /**
   * Fails the stage of a call that was refused.
   *
   * @param name what was called
   */
  static void requireOk(String name, Status status, String message) {
    if (status != Status.OK) {
      throw new CompletionException(
          new ApiException(
              status == Status.BAD_REQUEST ? BAD_REQUEST : CONFLICT,
              name + " refused the request: " + status + ": " + message));
    }
  }
}
