package io.sluice.server.service;

import io.sluice.server.log.LogPiece;
import io.sluice.server.log.LogRange;
import io.sluice.server.log.ShuffleLog;
import io.sluice.transport.server.ClientConnection;
import io.sluice.transport.server.FetchedBytes;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Makes the bytes of fetches ready to be sent, wherever they lie. Thread-safe. */
public interface BlockReads {
  /**
   * Makes pieces ready. Never waits. Cancelling the result gives the fetch up.
   *
   * @param connection that asks
   * @param found takes
   * @return fails with SluiceException STORAGE_FAILED (a disk fails or takes too long), LOST (a
   *     file is gone), BUSY
   */
  CompletableFuture<FetchedBytes> read(
      ClientConnection connection, long epoch, List<LogPiece> found);

  /**
   * Tells the disks what will probably be asked for next, if a partition is being read from front
   * to back and they have nothing else to read. Never waits.
   *
   * @param range that was read just now
   */
  void readAhead(ClientConnection connection, ShuffleLog log, LogRange range);
}
