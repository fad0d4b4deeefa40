/**
 * The reduce side: from the map attempts that the engine expects to verified contents, each exactly
 * once, with a proof at the end that none is missing. {@link io.sluice.client.read.SliceFetcher}
 * and what it steers are state machines without threads or clocks; a read drives them in its task
 * loop. A read belongs to its task thread.
 */
package io.sluice.client.read;
