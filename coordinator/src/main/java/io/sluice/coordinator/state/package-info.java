/**
 * The coordinator's state and its only way to change: <b>decide, log, apply</b>.
 *
 * <p>A decision ({@link io.sluice.coordinator.state.ApplicationDecisions}, {@link
 * io.sluice.coordinator.state.ShuffleDecisions}, {@link
 * io.sluice.coordinator.state.ServerDecisions}, {@link
 * io.sluice.coordinator.state.TimeoutDecisions}) is a pure function from an immutable {@link
 * io.sluice.coordinator.state.ClusterView}, a request and the time to a reply and a list of {@link
 * io.sluice.coordinator.state.MetadataRecord}s. One thread, that of {@link
 * io.sluice.coordinator.state.StateOwner}, decides the waiting requests. It appends their {@link
 * io.sluice.coordinator.state.LoggedChange}s to the log as one batch, applies all records,
 * publishes the new view and answers; any thread may read the published view.
 *
 * <p>After a restart, the logged changes are applied again ({@link
 * io.sluice.coordinator.state.StateLog}). Everything else is rebuilt without a log: heartbeats
 * report servers, drivers get UNKNOWN_APPLICATION and register their applications again, and
 * assignments are known to the applications (docs/decisions/0005).
 */
package io.sluice.coordinator.state;
