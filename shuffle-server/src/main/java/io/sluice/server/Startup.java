package io.sluice.server;

import io.sluice.common.auth.ClusterSecurity;
import java.time.Clock;
import java.util.function.LongSupplier;

/**
 * What every part of a server is started with.
 *
 * @param parts where whoever starts something that has to be closed adds it
 */
record Startup(
    ServerConfig config,
    ClusterSecurity security,
    Clock clock,
    LongSupplier nanoTime,
    StartedParts parts) {}
