package io.sluice.server.service;

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
}
