/**
 * The client end of the data protocol: connections to one shuffle server over gRPC or framed TCP.
 * Replies complete on transport threads, which must not be blocked. Clients depend on it, and
 * shuffle servers that copy their data to another.
 */
package io.sluice.transport.client;
