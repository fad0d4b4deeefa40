/**
 * The HTTP port of the coordinator: web pages, the REST API, Prometheus metrics and health probes.
 * Runs on the threads of the port; reads published state only.
 */
package io.sluice.coordinator.http;
