/**
 * Assignment of the partitions of a shuffle to servers.
 *
 * <p>{@link io.sluice.coordinator.assign.Eligibility} filters the servers, {@link
 * io.sluice.coordinator.assign.LoadModel} computes their load, an {@link
 * io.sluice.coordinator.assign.AssignmentStrategy} chooses one server at a time, and {@link
 * io.sluice.coordinator.assign.AssignmentPlanner} makes contiguous ranges of partitions. The
 * package has no clock, I/O or threads; random numbers come from the caller. See docs/assignment.md
 * for measurements.
 */
package io.sluice.coordinator.assign;
