/**
 * The beginning of a data connection, at both ends: HELLO, and CHALLENGE and PROOF where the
 * cluster demands authentication ({@code docs/protocol.md}, {@code docs/decisions/0013}). No
 * threads and no I/O. A handshake belongs to its connection; {@link
 * io.sluice.transport.handshake.ConnectionGuard} is thread-safe.
 */
package io.sluice.transport.handshake;
