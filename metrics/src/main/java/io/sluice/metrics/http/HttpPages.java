package io.sluice.metrics.http;

import java.util.concurrent.CompletionStage;

/** Request handler of a port. Thread-safe. */
@FunctionalInterface
public interface HttpPages {
  /**
   * Answers a request. Called on one of the few request threads, so slow answers must be completed
   * asynchronously, on any thread.
   */
  CompletionStage<HttpAnswer> answer(HttpCall call);
}
