package io.sluice.server.catalog;

/**
 * A clean stop: all acknowledged data was in files when the server stopped.
 *
 * @param epoch the epoch that ended with this stop
 * @param wholeSinceEpoch the oldest epoch whose acknowledged data was complete at the stop
 * @param directories number of directories with this record; if fewer are found, data is missing
 */
public record CleanStop(long epoch, long wholeSinceEpoch, int directories) {
  /** A record of no real epoch, which revokes an earlier clean stop. */
  public static final CleanStop NONE = new CleanStop(1, 1, 1);

  public CleanStop {
    if (epoch < 1 || wholeSinceEpoch < 1 || wholeSinceEpoch > epoch || directories < 1) {
      throw new IllegalArgumentException(
          "clean stop of epoch "
              + epoch
              + ", whole since "
              + wholeSinceEpoch
              + ", in "
              + directories
              + " directories");
    }
  }
}
