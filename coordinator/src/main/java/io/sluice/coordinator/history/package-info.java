/**
 * History for operators: events, throughput and the servers of shuffles. All of it is bounded;
 * decisions do not depend on it.
 *
 * <p>Only records of the metadata log change events and throughput. Times are fields of these
 * records, so that a replay gives the same history. The servers of shuffles are in memory only,
 * because an assignment ends with its application. Depends on {@link io.sluice.coordinator.cluster}
 * only.
 *
 * <p>Thread model: written by the state thread and by one sampling thread, read by any.
 */
package io.sluice.coordinator.history;
