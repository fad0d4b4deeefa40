package io.sluice.coordinator.app;

/**
 * The operator's rules about applications. They bound what the coordinator holds: an application
 * takes about 500 bytes and 8 for each remembered shuffle.
 *
 * @param leaseMs how long an application lives without a sign of life
 * @param maxApplications most live applications
 * @param endedRememberedMs how long an ended application is remembered, so that every server learns
 *     of its end
 * @param maxEndedRemembered most ended applications that are remembered
 * @param shufflesRemembered most shuffles that are remembered of one application
 */
public record ApplicationPolicy(
    long leaseMs,
    int maxApplications,
    long endedRememberedMs,
    int maxEndedRemembered,
    int shufflesRemembered) {}
