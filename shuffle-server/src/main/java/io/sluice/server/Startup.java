package io.sluice.server;

import io.sluice.common.auth.ClusterSecurity;
import java.time.Clock;
import java.util.function.LongSupplier;

/**
 * Common parameters for starting the parts of a server.
 *
 * @param parts receives every started part that has to be closed
 */
record Startup(
    ServerConfig config,
    ClusterSecurity security,
    Clock clock,
    LongSupplier nanoTime,
    StartedParts parts) {}
