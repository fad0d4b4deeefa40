/**
 * The block: the unit that a map task frames, compresses and checksums once, and that is then the
 * same bytes on the wire, in memory, in files and at the reducer ({@code docs/formats.md}).
 * Stateless and thread-safe; depends on Netty's buffers only. This is the one implementation that
 * client, server, local files and {@code sluice inspect} share.
 */
package io.sluice.common.block;
