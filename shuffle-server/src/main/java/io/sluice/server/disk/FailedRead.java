package io.sluice.server.disk;

/**
 * A failed read of a run file.
 *
 * @param application owner of the file
 * @param file name without directory
 * @param position offset of the first byte
 * @param length number of bytes to read
 */
public record FailedRead(String application, String file, long position, int length) {}
