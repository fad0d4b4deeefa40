package io.sluice.coordinator.api;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/**
 * Executes calls on the coordinator that leads, if coordinators share their state. The caller's
 * permission was checked by this coordinator. Thread-safe.
 */
public interface LeaderCalls {
  /** For a coordinator that shares its state with no other, and so leads always. */
  LeaderCalls NONE =
      (method, request) -> CompletableFuture.failedFuture(new IOException("no other coordinator"));

  /**
   * Executes a call.
   *
   * @param method name of the gRPC method
   * @return its reply; completes exceptionally if no leader is known or it does not reply, with one
   *     line
   */
  CompletableFuture<ByteString> call(String method, ByteString request);
}
