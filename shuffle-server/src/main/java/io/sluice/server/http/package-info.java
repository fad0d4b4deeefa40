/**
 * What operators and their tools read over HTTP: metrics, liveness, readiness. Two threads of its
 * own; reads the store and changes nothing.
 */
package io.sluice.server.http;
