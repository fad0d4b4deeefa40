package io.sluice.server.log;

/**
 * Location of an extent of a partition in a run file.
 *
 * @param run borrowed: valid only while the log's lock is held, unless retained
 * @param fileOffset offset of its first byte in the file
 * @param offset logical offset of its first byte
 * @param length length in bytes
 */
public record LocatedExtent(StoredRun run, long fileOffset, long offset, long length) {}
