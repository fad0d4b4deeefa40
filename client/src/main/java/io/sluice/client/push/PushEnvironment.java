package io.sluice.client.push;

import io.sluice.client.ConnectionPool;
import java.util.function.LongSupplier;

/**
 * What all pushes of a process share.
 *
 * @param nanoTime monotonic time, as {@link System#nanoTime}
 */
public record PushEnvironment(
    ConnectionPool pool, PushWindows windows, ServerHealth health, LongSupplier nanoTime) {}
