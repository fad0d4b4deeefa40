/**
 * The coordinator: tracks the shuffle servers, assigns servers to each shuffle, and manages the
 * leases of applications.
 *
 * <p>{@link io.sluice.coordinator.CoordinatorProcess} assembles the components and owns their
 * threads: {@code coordinator-state} (all state, see {@code state}), {@code coordinator-rpc-*}
 * (event loops), {@code coordinator-http-*}, {@code coordinator-history}, {@code
 * coordinator-rules}, {@code coordinator-exclusions}, {@code coordinator-configuration} and {@code
 * coordinator-api}. Depends on common and proto; only the command line and tests depend on it.
 */
package io.sluice.coordinator;
