/**
 * The reduce side. A read takes the map attempts that the engine expects and returns their batches
 * of records, verified and each exactly once; at the end it has verified that none is missing.
 * {@link io.sluice.client.read.SliceFetcher} and the classes it uses are state machines without
 * threads or clocks, which a read runs in its task loop. A read is owned by its task thread.
 */
package io.sluice.client.read;
