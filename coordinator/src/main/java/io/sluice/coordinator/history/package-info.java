/**
 * History for operators: events, finished applications, throughput, the servers of shuffles, and
 * reports about tasks. All of it is bounded; decisions do not depend on it.
 *
 * <p>Only records of the metadata log change events, finished applications and throughput. Times
 * are fields of these records, so that a replay gives the same history. The servers of shuffles and
 * the reports of live applications are in memory only, because drivers repeat them, or they end
 * with their application. Depends on {@link io.sluice.coordinator.cluster} only.
 *
 * <p>Thread model: written by the state thread and by one sampling thread, read by any.
 */
package io.sluice.coordinator.history;
