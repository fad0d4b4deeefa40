package io.sluice.coordinator.api;

import io.sluice.coordinator.state.ClusterView;

/**
 * Snapshot of the state and the time, taken for one request.
 *
 * @param nowMs time on the monotonic clock of the state
 * @param time wall clock time in milliseconds since 1970
 */
record RequestState(ClusterView view, long nowMs, long time) {}
