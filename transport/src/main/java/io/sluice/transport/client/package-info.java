/**
 * Client side of the data protocol: connections to one shuffle server over gRPC or framed TCP.
 * Replies complete on transport threads, which must not be blocked. Used by clients, and by shuffle
 * servers that copy data to another server.
 */
package io.sluice.transport.client;
