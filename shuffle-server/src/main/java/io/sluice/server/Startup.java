package io.sluice.server;

import io.sluice.common.auth.ClusterSecurity;
import java.time.Clock;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * Common parameters for starting the parts of a server.
 *
 * @param signatures verifies and creates signatures for the proofs of clients and callers
 * @param parts receives every started part that has to be closed
 */
record Startup(
    ServerConfig config,
    ClusterSecurity security,
    Clock clock,
    LongSupplier nanoTime,
    Executor signatures,
    StartedParts parts) {}
