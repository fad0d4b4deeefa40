/**
 * What the coordinator knows of shuffle servers: who they are, when they were last heard of, what
 * load they reported, and which of them the operator excluded.
 *
 * <p>Everything here is an immutable value, safe to read from any thread; a change makes a new
 * value. The one exception is {@link io.sluice.coordinator.cluster.ExcludeFile}, which reads a
 * file. Depends on the protocol messages only.
 */
package io.sluice.coordinator.cluster;
