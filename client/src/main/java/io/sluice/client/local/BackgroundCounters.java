package io.sluice.client.local;

/**
 * What a background pusher has done so far, and has to do.
 *
 * @param waitingOutputs handed over, not begun
 * @param pushedOutputs of which everything that was to be pushed is acknowledged
 * @param failedOutputs of which some server did not take its part
 * @param droppedOutputs not pushed, or not to the end: too many waited, the shuffle was forgotten,
 *     the file is gone
 * @param pushedBytes taken by servers
 * @param leftBytes of servers that took nothing
 * @param skippedBytes of partitions too large to be worth it
 */
public record BackgroundCounters(
    long waitingOutputs,
    long pushedOutputs,
    long failedOutputs,
    long droppedOutputs,
    long pushedBytes,
    long leftBytes,
    long skippedBytes) {}
