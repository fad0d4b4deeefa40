/**
 * Connections to one shuffle server's data protocol, over gRPC or framed TCP. Replies complete on
 * transport threads, which must not be blocked.
 */
package io.sluice.transport.client;
