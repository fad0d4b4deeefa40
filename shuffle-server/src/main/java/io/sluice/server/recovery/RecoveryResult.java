package io.sluice.server.recovery;

/**
 * Result of a recovery.
 *
 * @param epoch epoch of this server process
 * @param wholeSinceEpoch the oldest epoch whose acknowledged data is complete
 * @param bytes total length of the run files
 * @param lostRuns number of recorded runs whose blocks are lost
 */
public record RecoveryResult(
    long epoch, long wholeSinceEpoch, int shuffles, int runs, long bytes, int lostRuns) {}
