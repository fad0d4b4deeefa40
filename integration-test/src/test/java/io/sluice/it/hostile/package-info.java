/**
 * Peers that attack a coordinator and a shuffle server: processes with the heap sizes of {@code
 * conf/small}, authentication on, with TLS and without. {@link io.sluice.it.hostile.AttackCase}
 * lists the attacks, {@link io.sluice.it.hostile.Bounds} the limits that hold during and after each
 * of them.
 *
 * <p>Attackers speak the protocols with sockets and bytes of their own, so that they can break
 * every rule, and share no code with the servers that they attack.
 */
package io.sluice.it.hostile;
