package io.sluice.coordinator.cluster;

/**
 * An order to decommission that a server accepted. It holds for one epoch: a server that was
 * restarted has forgotten it. Immutable.
 *
 * @param deadlineMs after the order, when the server leaves with data that is still wanted; 0:
 *     never
 * @param move whether the server copies its data to others
 * @param orderedAtMs on the clock of the coordinator's state
 */
public record DecommissionOrder(
    String server, long epoch, long deadlineMs, boolean move, long orderedAtMs) {}
