package io.sluice.server.service;

import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.server.log.ShuffleKey;

/**
 * Which life of the server this is, and how far back what it acknowledged is all there.
 *
 * @param current of this life
 * @param wholeSince the oldest life of which nothing acknowledged is missing; {@code current}
 *     unless the life before ended with a clean stop
 */
public record ServerEpochs(long current, long wholeSince) {
  public ServerEpochs {
    if (wholeSince > current) {
      throw new IllegalArgumentException("epoch " + current + ", whole since " + wholeSince);
    }
  }

  /** Nothing is left of earlier lives that could be relied on. */
  public static ServerEpochs first(long epoch) {
    return new ServerEpochs(epoch, epoch);
  }

  /**
   * Refuses a request that names another epoch.
   *
   * @throws SluiceException STALE_EPOCH
   */
  void checkCurrent(ShuffleKey key, long named) throws SluiceException {
    if (named != current) {
      throw new SluiceException(
          StatusCode.STALE_EPOCH,
          key + ": request is for epoch " + named + " of the server, this is " + current);
    }
  }
}
