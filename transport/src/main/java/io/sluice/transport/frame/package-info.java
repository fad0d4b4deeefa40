/**
 * The frame of the data protocol: a fixed header, a protobuf head and a raw body ({@code
 * docs/protocol.md}). Stateless and thread-safe; both transports, on both sides, use it.
 */
package io.sluice.transport.frame;
