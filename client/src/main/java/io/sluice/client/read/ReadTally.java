package io.sluice.client.read;

import io.sluice.client.server.ServerWaits;

/** Collects the counters of one read. Owned by the task thread. */
final class ReadTally {
  private long bytes;
  private long opens;
  private long fetches;
  private long retries;
  private long fileBytes;
  private long fileFailures;
  private long localBytes;
  private long localBlocks;
  private long localFailures;
  private long localWaitNanos;
  private long fetchNanos;
  private final ServerWaits waits = new ServerWaits();

  ServerWaits waits() {
    return waits;
  }

  void openSent() {
    opens++;
  }

  void fetchSent() {
    fetches++;
  }

  void retry() {
    retries++;
  }

  /**
   * @param nanos time from the request to its reply; 0 if the slice was read from files
   */
  void sliceArrived(Slice slice, long nanos) {
    bytes += slice.length();
    fetchNanos += nanos;
    fileBytes += slice.isInFile() ? slice.length() : 0;
  }

  void fileFailed() {
    fileFailures++;
  }

  void localBlockRead(int length) {
    localBytes += length;
  }

  void localBlocksAccepted(long blocks) {
    localBlocks += blocks;
  }

  void localOutputFailed() {
    localFailures++;
  }

  void waitedForLocalOutput(long nanos) {
    localWaitNanos += nanos;
  }

  /**
   * @param serverWaitNanos time that the task waited for servers
   */
  ReadCounters counters(BlockAssembler assembler, long serverWaitNanos) {
    return new ReadCounters(
        bytes,
        assembler.blocks(),
        assembler.uncompressedBytes(),
        assembler.records(),
        assembler.skipped(),
        assembler.receiptsMatched(),
        serverWaitNanos + localWaitNanos,
        new ReadCounters.Requests(opens, fetches, retries, fetchNanos),
        new ReadCounters.Files(fileBytes, fileFailures),
        new ReadCounters.Local(localBytes, localBlocks, localFailures),
        waits.times());
  }
}
