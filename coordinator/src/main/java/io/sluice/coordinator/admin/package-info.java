/**
 * What operators change while a coordinator runs: exclusions, servers to be decommissioned, limits
 * of users, applications to be forgotten, the configuration.
 *
 * <p>Thread model: every act returns at once with a stage. State is changed on the state's thread,
 * files are read on threads of their own, and calls to servers are answered on event loops.
 */
package io.sluice.coordinator.admin;
