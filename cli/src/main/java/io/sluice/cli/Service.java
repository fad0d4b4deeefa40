package io.sluice.cli;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A started coordinator or server.
 *
 * @param name for log lines
 * @param ports ports for the ready file by name, such as {@code rpc.port} with 19999
 * @param stop stops the service cleanly; bounded in time, idempotent
 * @param decommissioned completed when the service was decommissioned and must exit
 */
record Service(
    String name,
    Map<String, Integer> ports,
    AutoCloseable stop,
    CompletionStage<Void> decommissioned) {

  /** A service that cannot be decommissioned. */
  Service(String name, Map<String, Integer> ports, AutoCloseable stop) {
    this(name, ports, stop, new CompletableFuture<>());
  }
}
