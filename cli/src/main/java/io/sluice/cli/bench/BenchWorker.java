package io.sluice.cli.bench;

import java.util.concurrent.CompletableFuture;

/** Requests of one connection. */
interface BenchWorker {

  /** A request that can be sent again after a refusal. */
  interface Request {
    /** Sends the request; completes with the transferred bytes. */
    CompletableFuture<Long> send();
  }

  /** Returns the next request, or null after the last one. Called by one thread at a time; fast. */
  Request next();
}
