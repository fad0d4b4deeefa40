/**
 * What operators and their tools read over HTTP: metrics, liveness, readiness. Runs on the threads
 * of its port; reads the store and changes nothing.
 */
package io.sluice.server.http;
