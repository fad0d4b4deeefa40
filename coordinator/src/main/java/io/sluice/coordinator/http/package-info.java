/**
 * The coordinator's HTTP face: figures for Prometheus and probes for whatever supervises the
 * process. A few threads of its own; reads published state only.
 */
package io.sluice.coordinator.http;
