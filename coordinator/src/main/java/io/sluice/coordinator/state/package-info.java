/**
 * The coordinator's state and its only way to change: <b>decide, log, apply</b>.
 *
 * <p>A decision ({@link io.sluice.coordinator.state.ApplicationDecisions}, {@link
 * io.sluice.coordinator.state.ShuffleDecisions}, {@link
 * io.sluice.coordinator.state.ServerDecisions}, {@link io.sluice.coordinator.state.Elapsed}) is a
 * pure function from an immutable {@link io.sluice.coordinator.state.ClusterView}, a request and
 * the time to a reply and a list of {@link io.sluice.coordinator.state.MetadataRecord}s. One
 * thread, that of {@link io.sluice.coordinator.state.StateOwner}, runs decisions one after the
 * other, applies their records and publishes the new view; anybody may read the published view.
 * Records carry everything that applying them needs, so a log of them, written between decision and
 * application, rebuilds the state.
 *
 * <p>Nothing is written today: after a restart servers are learnt from their heartbeats,
 * applications from drivers that are told UNKNOWN_APPLICATION and register again, and assignments
 * live with the applications.
 */
package io.sluice.coordinator.state;
