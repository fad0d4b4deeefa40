/**
 * Which servers hold which partitions of a shuffle.
 *
 * <p>{@link io.sluice.coordinator.assign.Eligibility} says who may be chosen, {@link
 * io.sluice.coordinator.assign.LoadModel} how loaded each of them is, an {@link
 * io.sluice.coordinator.assign.AssignmentStrategy} makes each single choice, and {@link
 * io.sluice.coordinator.assign.AssignmentPlanner} puts the choices together to contiguous ranges.
 * All of it is plain computation: no clock, no I/O, no threads, and every random number comes from
 * the caller's generator. The page docs/assignment.md explains it with figures.
 */
package io.sluice.coordinator.assign;
