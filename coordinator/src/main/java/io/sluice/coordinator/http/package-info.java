/**
 * The coordinator's HTTP face: pages, the REST API, figures for Prometheus and probes for whatever
 * supervises the process. Runs on the threads of its port; reads published state only.
 */
package io.sluice.coordinator.http;
