package io.sluice.client.server;

import io.sluice.client.memory.DirectMemory;

/**
 * What all push sessions and reads of a process share.
 *
 * @param memory counts frames and slices
 */
public record TaskEnvironment(
    ConnectionPool pool, ServerHealth health, DirectMemory memory, TaskTime time) {}
