/**
 * Who may use the cluster, and how much of it: rules from the operator's files, what is used from
 * heartbeats, and the answers that follow from both.
 *
 * <p>Thread model: one thread reads files and adds up use; what it finds are immutable values that
 * any thread reads.
 */
package io.sluice.coordinator.quota;
