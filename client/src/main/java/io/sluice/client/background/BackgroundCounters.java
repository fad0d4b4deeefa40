package io.sluice.client.background;

/**
 * What a background pusher has done so far, and has to do.
 *
 * @param waitingOutputs handed over, not begun
 * @param pushedOutputs of which everything that was to be pushed is acknowledged
 * @param failedOutputs given up because a server did not take them
 * @param droppedOutputs not pushed, or not to the end: too many waited, the shuffle was forgotten,
 *     the file is gone
 * @param pushedBytes handed to the servers
 * @param skippedBytes of partitions too large to be worth it
 */
public record BackgroundCounters(
    long waitingOutputs,
    long pushedOutputs,
    long failedOutputs,
    long droppedOutputs,
    long pushedBytes,
    long skippedBytes) {}
