package io.sluice.coordinator.cluster;

/**
 * Shuffles of an application that use the built-in shuffle, as its driver reported.
 *
 * @param shuffles number of shuffles since the driver started
 * @param lastReason reason of the latest fallback; empty if there is none
 */
public record Fallbacks(int shuffles, String lastReason) {
  public static final Fallbacks NONE = new Fallbacks(0, "");
}
