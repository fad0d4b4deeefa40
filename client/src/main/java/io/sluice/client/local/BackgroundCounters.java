package io.sluice.client.local;

/**
 * Counters of a background pusher.
 *
 * @param waitingOutputs outputs that wait for a thread
 * @param pushedOutputs outputs whose pushed blocks are all acknowledged
 * @param failedOutputs outputs of which a server did not accept some blocks
 * @param droppedOutputs outputs that were not or not completely pushed: the queue was full, the
 *     shuffle was removed, or the file was deleted
 * @param pushedBytes bytes that servers accepted
 * @param rejectedBytes bytes that no server accepted
 * @param skippedBytes bytes of partitions that are too large to be pushed
 */
public record BackgroundCounters(
    long waitingOutputs,
    long pushedOutputs,
    long failedOutputs,
    long droppedOutputs,
    long pushedBytes,
    long rejectedBytes,
    long skippedBytes) {}
