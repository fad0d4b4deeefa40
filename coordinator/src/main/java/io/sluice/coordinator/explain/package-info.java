/**
 * Explains what the tasks of an application waited for. Pure functions of the report of its driver
 * and of the state of the servers; no decision depends on the results.
 */
package io.sluice.coordinator.explain;
