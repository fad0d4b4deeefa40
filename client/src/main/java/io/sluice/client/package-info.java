/**
 * The engine-neutral client: what a Spark or MapReduce plugin needs to shuffle through Sluice. One
 * {@link io.sluice.client.SluiceClient} per process and application; it owns the connections and a
 * few threads, whatever the number of tasks.
 *
 * <p>Thread model: the client itself is thread-safe. A push session and a read belong to one task
 * thread, which does their work and their waiting; transport threads only hand over what arrived.
 * Depends on common and proto, and knows no engine.
 */
package io.sluice.client;
