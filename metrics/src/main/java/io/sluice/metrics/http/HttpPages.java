package io.sluice.metrics.http;

import java.util.concurrent.CompletionStage;

/** What a port serves. Thread-safe. */
@FunctionalInterface
public interface HttpPages {
  /**
   * Answers a request, on one of the few threads that make answers: what takes long is answered
   * later, on any thread.
   */
  CompletionStage<HttpAnswer> answer(HttpCall call);
}
