/**
 * The HTTP port of the coordinator: pages, the REST API, metrics for Prometheus and probes. Runs on
 * the threads of the port; reads published state only.
 */
package io.sluice.coordinator.http;
