/**
 * Membership of a server in the cluster: heartbeats to every coordinator of its quorum, leases,
 * control calls, and decommission. A decommissioned server copies its shuffles to other servers
 * ({@code docs/decisions/0014-a-leaving-server-copies.md}). Heartbeats have one thread, on which
 * nothing blocks; a move has threads while it is in progress.
 */
package io.sluice.server.cluster;
