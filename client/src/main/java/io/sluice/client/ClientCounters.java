package io.sluice.client;

import io.sluice.client.push.PushCounters;
import io.sluice.client.read.ReadCounters;

/**
 * Sums over all closed push sessions and reads of a client.
 *
 * @param pushSessions closed sessions, including failed ones
 * @param reads closed reads, including failed ones
 */
public record ClientCounters(
    long pushSessions, PushCounters pushed, long reads, ReadCounters read) {}
