/**
 * The coordinator: knows the shuffle servers, gives each shuffle its servers, and holds the leases
 * of applications.
 *
 * <p>{@link io.sluice.coordinator.CoordinatorProcess} puts the parts together and owns their
 * threads: {@code coordinator-state} (all state, see {@code state}), {@code coordinator-rpc-*}
 * (event loops), {@code coordinator-http-*}, and {@code coordinator-exclude-file}. Depends on
 * common and proto; nobody but the command line and tests depends on it.
 */
package io.sluice.coordinator;
