package io.sluice.client.read;

/**
 * What a read has done.
 *
 * @param bytes bytes that servers sent, or that were read from their run files
 * @param blocks blocks given, parts of a content counted each
 * @param contentBytes uncompressed bytes given
 * @param records records given
 * @param skippedBlocks blocks of attempts that were not expected, and duplicates
 * @param opens Open requests sent
 * @param fetches Fetch requests sent
 * @param retries requests that were repeated
 * @param fileBytes bytes that were read from run files without their server
 * @param fileFailures slices that could not be read so, and were fetched
 * @param localBytes bytes that were read of map tasks' local output
 * @param localBlocks blocks given of those
 * @param localFailures attempts whose local output could not be had or was damaged, by partition
 * @param waitNanos time that the task waited for servers and local output
 * @param fetchNanos sum of the times that Fetch requests took that succeeded; several are in flight
 *     at a time
 */
public record ReadCounters(
    long bytes,
    long blocks,
    long contentBytes,
    long records,
    long skippedBlocks,
    long opens,
    long fetches,
    long retries,
    long fileBytes,
    long fileFailures,
    long localBytes,
    long localBlocks,
    long localFailures,
    long waitNanos,
    long fetchNanos) {
  public static final ReadCounters ZERO =
      new ReadCounters(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

  public ReadCounters plus(ReadCounters other) {
    return new ReadCounters(
        bytes + other.bytes,
        blocks + other.blocks,
        contentBytes + other.contentBytes,
        records + other.records,
        skippedBlocks + other.skippedBlocks,
        opens + other.opens,
        fetches + other.fetches,
        retries + other.retries,
        fileBytes + other.fileBytes,
        fileFailures + other.fileFailures,
        localBytes + other.localBytes,
        localBlocks + other.localBlocks,
        localFailures + other.localFailures,
        waitNanos + other.waitNanos,
        fetchNanos + other.fetchNanos);
  }
}
