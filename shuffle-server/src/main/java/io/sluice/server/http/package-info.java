/**
 * The HTTP port for operators and monitoring: metrics, liveness, readiness. Runs on the threads of
 * the port; read-only.
 */
package io.sluice.server.http;
