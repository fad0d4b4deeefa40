/**
 * The engine-neutral client, which the Spark and MapReduce plugins use. A process has one {@link
 * io.sluice.client.SluiceClient}, which owns the connections and a few threads for any number of
 * tasks.
 *
 * <p>Thread model: the client is thread-safe. A push session and a read are owned by one task
 * thread, which does all their work and waits for servers. Transport threads only queue events for
 * it. Depends on common, proto and transport, and on no engine.
 */
package io.sluice.client;
