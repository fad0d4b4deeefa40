package io.sluice.client.server;

/**
 * Objects that all push sessions and reads of a process share.
 *
 * @param memory counts the memory of frames and slices
 */
public record TaskEnvironment(
    ConnectionPool pool, ServerHealth health, DirectMemory memory, TaskTime time) {}
