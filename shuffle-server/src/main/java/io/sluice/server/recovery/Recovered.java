package io.sluice.server.recovery;

/**
 * What was restored.
 *
 * @param epoch this life of the server
 * @param wholeSinceEpoch the oldest life of the server of which nothing acknowledged is missing
 * @param bytes of run files
 * @param lostRuns recorded runs whose blocks are gone
 */
public record Recovered(
    long epoch, long wholeSinceEpoch, int shuffles, int runs, long bytes, int lostRuns) {}
