package io.sluice.coordinator.cluster;

/**
 * A decommission that a server accepted. It is valid for one epoch: a restarted server no longer
 * knows it. Immutable.
 *
 * @param deadlineMs time after the order at which the server exits even if its data is still
 *     needed; 0: never
 * @param move whether the server moves its data to other servers
 * @param orderedAtMs time of the order, on the clock of the coordinator's state
 */
public record DecommissionOrder(
    String server, long epoch, long deadlineMs, boolean move, long orderedAtMs) {}
