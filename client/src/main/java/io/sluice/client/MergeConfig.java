package io.sluice.client;

/**
 * How long readers wait for map output that is pushed behind its task.
 *
 * @param waitMs most that one read waits; 0: not at all
 * @param permille share of the map attempts that ends the wait, 1..1000
 */
public record MergeConfig(long waitMs, int permille) {
  public MergeConfig {
    if (waitMs < 0 || permille < 0 || permille > 1000) {
      throw new IllegalArgumentException(
          "merge: expected a wait from 0 and a share of 0..1000 permille, found waitMs="
              + waitMs
              + " permille="
              + permille);
    }
  }
}
