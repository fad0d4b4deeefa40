package io.sluice.server.catalog;

/**
 * A stop after which everything that was ever acknowledged lay in files.
 *
 * @param epoch the life that ended so
 * @param wholeSinceEpoch the oldest life of which, when it ended, nothing acknowledged was missing
 * @param directories how many directories took note of it: with fewer of them, something is missing
 */
public record CleanStop(long epoch, long wholeSinceEpoch, int directories) {
  /** Of no life that ever was: takes back what was said before. */
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
