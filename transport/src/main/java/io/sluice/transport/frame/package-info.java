/**
 * The frame of the data protocol: a fixed header, a protobuf head and a raw body ({@code
 * docs/protocol.md}, {@code docs/formats.md}). Stateless and thread-safe; both transports, at both
 * ends, use it.
 */
package io.sluice.transport.frame;
