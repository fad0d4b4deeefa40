package io.sluice.spark.assignment;

import java.util.concurrent.CompletionStage;

/** The way of a question to the driver. Thread-safe. */
public interface DriverRequests {
  /**
   * Asks, without waiting.
   *
   * @param question {@link AssignmentRequest#toBytes}
   * @return the answer, or a failure within a bounded time, on any thread
   */
  CompletionStage<byte[]> ask(byte[] question);
}
