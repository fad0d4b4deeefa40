/**
 * The map side: contents become sealed blocks in frames, and frames go to a target: the servers of
 * their partitions, or local output. {@link io.sluice.client.push.FrameSender} and {@link
 * io.sluice.client.push.Failover} are state machines without threads or clocks; a session drives
 * them in its task loop. A session belongs to its task thread.
 */
package io.sluice.client.push;
