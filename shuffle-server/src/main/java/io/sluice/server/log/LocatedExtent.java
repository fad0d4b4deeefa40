package io.sluice.server.log;

/**
 * Where a stretch of a partition lies in a run file.
 *
 * @param run borrowed: may be gone as soon as the log's lock is given back
 * @param fileOffset of its first byte
 * @param offset logical offset of its first byte
 * @param length in bytes
 */
public record LocatedExtent(StoredRun run, long fileOffset, long offset, long length) {}
