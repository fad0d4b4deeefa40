package io.sluice.client.server;

/**
 * What all push sessions and reads of a process share.
 *
 * @param memory counts frames and slices
 */
public record TaskEnvironment(
    ConnectionPool pool, ServerHealth health, DirectMemory memory, TaskTime time) {}
