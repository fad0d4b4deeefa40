package io.sluice.cli;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A started process.
 *
 * @param name for log lines
 * @param ports what to write to the ready file, such as {@code rpc.port} to 19999
 * @param stop the clean stop; bounded in time, idempotent
 * @param left completed when an operator has taken the service out of use: it stops, for good
 */
record Service(
    String name, Map<String, Integer> ports, AutoCloseable stop, CompletionStage<Void> left) {

  /** A service that only its process manager ends. */
  Service(String name, Map<String, Integer> ports, AutoCloseable stop) {
    this(name, ports, stop, new CompletableFuture<>());
  }
}
