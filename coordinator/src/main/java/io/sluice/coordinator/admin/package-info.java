/**
 * What operators change while a coordinator runs: exclusions, servers to be decommissioned,
 * applications to be forgotten, the configuration.
 *
 * <p>Thread model: every act returns at once with a stage. Files are touched on a thread of their
 * own, state on the state's thread, and calls to servers are answered on event loops.
 */
package io.sluice.coordinator.admin;
