package io.sluice.server.service;

import io.sluice.common.error.SluiceException;
import io.sluice.server.log.LogRange;
import io.sluice.server.log.ShuffleLog;
import io.sluice.transport.server.ClientConnection;
import io.sluice.transport.server.FetchedBytes;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Reads the bytes of fetches, from memory or from files. Thread-safe. */
public interface BlockReads {
  /**
   * Reads ranges of a shuffle asynchronously. Never blocks. Cancelling the result abandons the
   * fetch. If the client reads a partition from front to back and its bytes are not in memory, the
   * bytes after the last range are read ahead.
   *
   * @param connection connection that sent the fetch
   * @param ranges at least one
   * @return fails with SluiceException STORAGE_FAILED (a disk failed or timed out), LOST (a file is
   *     missing) or BUSY
   * @throws SluiceException as {@link ShuffleLog#read}
   */
  CompletableFuture<FetchedBytes> read(
      ClientConnection connection, long epoch, ShuffleLog log, List<LogRange> ranges)
      throws SluiceException;
}
