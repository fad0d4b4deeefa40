/**
 * The map side. Batches of records become sealed blocks, blocks are collected in frames, and frames
 * go to a target: the servers of their partitions, or local output. {@link
 * io.sluice.client.push.FrameSender} and {@link io.sluice.client.push.Failover} are state machines
 * without threads or clocks, which a session runs in its task loop. A session is owned by its task
 * thread.
 */
package io.sluice.client.push;
