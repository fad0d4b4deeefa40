/**
 * What the coordinator remembers for operators, beside the state that it decides on: events,
 * throughput, where shuffles went. All of it is bounded and nothing is decided on it.
 *
 * <p>Events and throughput are changed by records of the metadata log only, with times that are
 * fields of these records, so that a replay gives the same history. Where shuffles went is in
 * memory only: an assignment lives with its application. Knows of the state's package nothing, and
 * of servers what {@link io.sluice.coordinator.cluster} has.
 *
 * <p>Thread model: written by the state thread and by one sampling thread, read by any.
 */
package io.sluice.coordinator.history;
