package io.sluice.spark.assignment;

import java.util.concurrent.CompletionStage;

/** Sends requests to the driver. Thread-safe. */
public interface DriverRequests {
  /**
   * Sends a request without blocking.
   *
   * @param request {@link AssignmentRequest#toBytes}
   * @return completed on any thread with the reply, or with a failure after a bounded time
   */
  CompletionStage<byte[]> ask(byte[] request);
}
