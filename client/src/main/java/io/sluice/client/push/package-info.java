/**
 * The map side: contents become sealed blocks in frames, frames go to the servers of their
 * partitions, unacknowledged frames go again. A session belongs to its task thread; acks arrive on
 * transport threads and are handed over through one small lock.
 */
package io.sluice.client.push;
