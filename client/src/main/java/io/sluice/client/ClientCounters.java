package io.sluice.client;

import io.sluice.client.push.PushCounters;
import io.sluice.client.read.ReadCounters;

/**
 * Sums over the sessions and reads of a client that have been closed.
 *
 * @param pushSessions sessions closed, whatever their outcome
 * @param reads reads closed, whatever their outcome
 */
public record ClientCounters(
    long pushSessions, PushCounters pushed, long reads, ReadCounters read) {}
