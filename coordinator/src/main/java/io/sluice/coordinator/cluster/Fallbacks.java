package io.sluice.coordinator.cluster;

/**
 * Shuffles that a driver left to its engine, as the driver says.
 *
 * @param shuffles how many since the driver began
 * @param lastReason why the latest of them; empty if there is none
 */
public record Fallbacks(int shuffles, String lastReason) {
  public static final Fallbacks NONE = new Fallbacks(0, "");
}
