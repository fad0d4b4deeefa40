package io.sluice.client.push;

import io.sluice.client.ConnectionPool;
import io.sluice.client.memory.DirectMemory;
import java.util.function.LongSupplier;

/**
 * What all pushes of a process share.
 *
 * @param memory counts frames
 * @param nanoTime monotonic time, as {@link System#nanoTime}
 */
public record PushEnvironment(
    ConnectionPool pool,
    PushWindows windows,
    ServerHealth health,
    DirectMemory memory,
    LongSupplier nanoTime) {}
