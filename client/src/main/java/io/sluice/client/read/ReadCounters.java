package io.sluice.client.read;

import io.sluice.client.server.ServerTimes;

/**
 * Counters of one read, or the sum of several.
 *
 * @param bytes bytes from servers, or from their run files
 * @param blocks blocks that were accepted
 * @param uncompressedBytes uncompressed bytes of these blocks
 * @param records records of these blocks
 * @param skippedBlocks duplicates, and blocks of attempts that were not expected
 * @param receipts attempts, in one partition each, whose records matched the receipt of the map
 *     task
 * @param waitNanos time that the task waited for servers and local output
 * @param servers bytes read from each server or its run files, and the waits for it
 */
public record ReadCounters(
    long bytes,
    long blocks,
    long uncompressedBytes,
    long records,
    long skippedBlocks,
    long receipts,
    long waitNanos,
    Requests requests,
    Files files,
    Local local,
    ServerTimes servers) {
  public static final ReadCounters ZERO =
      new ReadCounters(
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          new Requests(0, 0, 0, 0),
          new Files(0, 0),
          new Local(0, 0, 0),
          ServerTimes.NONE);

  /**
   * Requests to servers.
   *
   * @param opens Open requests sent
   * @param fetches Fetch requests sent
   * @param retries requests that were sent again
   * @param fetchNanos sum of the durations of successful Fetch requests, several of which are in
   *     flight at a time
   */
  public record Requests(long opens, long fetches, long retries, long fetchNanos) {
    Requests plus(Requests other) {
      return new Requests(
          opens + other.opens,
          fetches + other.fetches,
          retries + other.retries,
          fetchNanos + other.fetchNanos);
    }
  }

  /**
   * Reads of run files without their server.
   *
   * @param bytes bytes read from run files
   * @param failures slices whose files could not be read, and which were fetched
   */
  public record Files(long bytes, long failures) {
    Files plus(Files other) {
      return new Files(bytes + other.bytes, failures + other.failures);
    }
  }

  /**
   * Reads of local output.
   *
   * @param failures pieces of local output that were not available or damaged
   */
  public record Local(long bytes, long blocks, long failures) {
    Local plus(Local other) {
      return new Local(bytes + other.bytes, blocks + other.blocks, failures + other.failures);
    }
  }

  public ReadCounters plus(ReadCounters other) {
    return new ReadCounters(
        bytes + other.bytes,
        blocks + other.blocks,
        uncompressedBytes + other.uncompressedBytes,
        records + other.records,
        skippedBlocks + other.skippedBlocks,
        receipts + other.receipts,
        waitNanos + other.waitNanos,
        requests.plus(other.requests),
        files.plus(other.files),
        local.plus(other.local),
        servers.plus(other.servers));
  }
}
