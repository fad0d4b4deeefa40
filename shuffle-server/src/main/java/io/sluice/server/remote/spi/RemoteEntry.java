package io.sluice.server.remote.spi;

/**
 * A file or a directory.
 *
 * @param name without its parents
 * @param length of a file in bytes; 0 for a directory
 */
public record RemoteEntry(String name, boolean isDirectory, long length) {}
