package io.sluice.server.disk;

/**
 * Bytes of a run file that could not be read.
 *
 * @param application whose file it is
 * @param file its name, without a directory
 * @param position of the first byte
 * @param length of what was to be read
 */
public record FailedRead(String application, String file, long position, int length) {}
