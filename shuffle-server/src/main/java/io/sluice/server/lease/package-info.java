/**
 * How long a server keeps the shuffles of an application: what the coordinators say about it, and
 * what their silence means. Pure bookkeeping: the time comes from outside, there are no threads,
 * and nothing is removed here; thread-safe.
 */
package io.sluice.server.lease;
