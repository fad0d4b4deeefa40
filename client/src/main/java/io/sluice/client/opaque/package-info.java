/**
 * Public API for engines that serialize their own data, such as native engines: pushes and reads
 * bytes that Sluice does not interpret, with the guarantees of every shuffle: failover, replicas,
 * local output, epochs, and receipts. Instances come from {@link io.sluice.client.SluiceClient}.
 *
 * <p>Thread model: a {@link io.sluice.client.opaque.PartitionPusher} and a {@link
 * io.sluice.client.opaque.PartitionReader} are owned by one task thread, as the push session and
 * the read below them. Public methods of this package stay compatible from the first release on.
 */
package io.sluice.client.opaque;
