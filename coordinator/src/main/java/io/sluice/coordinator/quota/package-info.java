/**
 * Access rules and quotas: rules from the operator's files, usage from heartbeats, and the checks
 * of applications and shuffles.
 *
 * <p>Thread model: one thread reads the files and sums up usage, and publishes immutable values
 * that any thread may read.
 */
package io.sluice.coordinator.quota;
