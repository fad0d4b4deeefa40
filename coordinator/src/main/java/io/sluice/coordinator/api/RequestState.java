package io.sluice.coordinator.api;

import io.sluice.coordinator.state.ClusterView;

/**
 * The state at the moment of a request.
 *
 * @param nowMs on the coordinator's monotonic clock
 * @param time the same moment, in milliseconds since 1970
 */
record RequestState(ClusterView view, long nowMs, long time) {}
