package io.sluice.server.remote.spi;

/**
 * Space of a file system.
 *
 * @param capacityBytes total capacity; {@link Long#MAX_VALUE} if unlimited
 * @param freeBytes free bytes
 */
public record RemoteSpace(long capacityBytes, long freeBytes) {}
