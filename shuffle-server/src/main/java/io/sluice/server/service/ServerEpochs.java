package io.sluice.server.service;

import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.server.log.ShuffleKey;

/**
 * The server's current epoch, and the oldest epoch since which all acknowledged data is present.
 *
 * @param current epoch of this process
 * @param wholeSince oldest epoch since which no acknowledged data is missing; {@code current}
 *     unless the previous epoch ended with a clean stop
 */
public record ServerEpochs(long current, long wholeSince) {
  public ServerEpochs {
    if (wholeSince > current) {
      throw new IllegalArgumentException(
          "wholeSince=" + wholeSince + " is later than current=" + current);
    }
  }

  /** Epochs of a server without complete data of earlier epochs. */
  public static ServerEpochs first(long epoch) {
    return new ServerEpochs(epoch, epoch);
  }

  /**
   * Refuses a request for another epoch.
   *
   * @throws SluiceException STALE_EPOCH
   */
  void checkCurrent(ShuffleKey key, long named) throws SluiceException {
    if (named != current) {
      throw new SluiceException(
          StatusCode.STALE_EPOCH,
          key
              + ": the request is for epoch "
              + named
              + " of the server, its current epoch is "
              + current);
    }
  }
}
