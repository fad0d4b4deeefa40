/**
 * The metadata log that several coordinators share, replicated by Apache Ratis (decision record
 * 0021). Ratis uses neither ports nor connections of its own: {@link
 * io.sluice.coordinator.raft.Peers} sends its messages as calls of {@code sluice.v1.Consensus}.
 */
package io.sluice.coordinator.raft;
