package io.sluice.cli.bench;

import java.util.concurrent.CompletableFuture;

/** One connection's share of the work. */
interface BenchWorker {

  /** A request that can be sent again after a refusal. */
  interface Request {
    /** Sends; completes with the bytes that were moved. */
    CompletableFuture<Long> send();
  }

  /** The next request, or null when nothing is left. Called by one thread at a time; cheap. */
  Request next();
}
