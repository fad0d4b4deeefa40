package io.sluice.server.remote.spi;

/**
 * Room of a file system.
 *
 * @param capacityBytes in all; {@link Long#MAX_VALUE} if it has no bound
 * @param freeBytes not used
 */
public record RemoteSpace(long capacityBytes, long freeBytes) {}
