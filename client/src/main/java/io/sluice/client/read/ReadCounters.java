package io.sluice.client.read;

/**
 * What a read has done.
 *
 * @param bytes bytes that servers sent, or that were read from their run files
 * @param blocks blocks given, parts of a content counted each
 * @param contentBytes uncompressed bytes given
 * @param records records given
 * @param skippedBlocks blocks of attempts that were not expected, and duplicates
 * @param waitNanos time that the task waited for servers and local output
 */
public record ReadCounters(
    long bytes,
    long blocks,
    long contentBytes,
    long records,
    long skippedBlocks,
    long waitNanos,
    Requests requests,
    Files files,
    Local local) {
  public static final ReadCounters ZERO =
      new ReadCounters(
          0, 0, 0, 0, 0, 0, new Requests(0, 0, 0, 0), new Files(0, 0), new Local(0, 0, 0));

  /**
   * Requests to servers.
   *
   * @param opens Open requests sent
   * @param fetches Fetch requests sent
   * @param retries requests that were repeated
   * @param fetchNanos sum of the times that Fetch requests took that succeeded; several are in
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
   * @param bytes bytes read so
   * @param failures slices that could not be read so, and were fetched
   */
  public record Files(long bytes, long failures) {
    Files plus(Files other) {
      return new Files(bytes + other.bytes, failures + other.failures);
    }
  }

  /**
   * Reads of map tasks' local output.
   *
   * @param failures attempts whose local output could not be had or was damaged, by partition
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
        contentBytes + other.contentBytes,
        records + other.records,
        skippedBlocks + other.skippedBlocks,
        waitNanos + other.waitNanos,
        requests.plus(other.requests),
        files.plus(other.files),
        local.plus(other.local));
  }
}
