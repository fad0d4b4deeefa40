package io.sluice.server.service;

import io.sluice.server.log.LogPiece;
import io.sluice.server.log.LogRange;
import io.sluice.server.log.ShuffleLog;
import io.sluice.transport.server.ClientConnection;
import io.sluice.transport.server.FetchedBytes;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Reads the bytes of fetches, from memory or from files. Thread-safe. */
public interface BlockReads {
  /**
   * Reads pieces asynchronously. Never blocks. Cancelling the result abandons the fetch.
   *
   * @param connection connection that sent the fetch
   * @param found pieces to read; this method takes ownership
   * @param continued whether the client will probably read the bytes after the last piece next
   * @return fails with SluiceException STORAGE_FAILED (a disk failed or timed out), LOST (a file is
   *     missing) or BUSY
   */
  CompletableFuture<FetchedBytes> read(
      ClientConnection connection, long epoch, List<LogPiece> found, boolean continued);

  /**
   * Whether a client reads a partition sequentially: the range is the start of the partition, or
   * continues the previous one of the connection.
   *
   * @param range latest range that was requested
   */
  boolean isSequential(ClientConnection connection, ShuffleLog log, LogRange range);

  /**
   * Starts read-ahead of the bytes after a range, if the disk is idle. Never blocks.
   *
   * @param range latest range that was read
   */
  void readAhead(ShuffleLog log, LogRange range);
}
