/**
 * Attacks of peers on a coordinator and a shuffle server. The processes have the heap sizes of
 * {@code conf/small} and authentication, with and without TLS. {@link
 * io.sluice.it.hostile.AttackCase} lists the attacks, {@link io.sluice.it.hostile.Bounds} the
 * limits during and after each of them.
 *
 * <p>Attackers use raw sockets and bytes, so that they can violate every rule of the protocols, and
 * share no code with the servers.
 */
package io.sluice.it.hostile;
