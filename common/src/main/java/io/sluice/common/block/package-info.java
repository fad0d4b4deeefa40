/**
 * The block: a map task compresses and checksums it once; its bytes stay the same on the wire, in
 * memory, in files and at the reducer ({@code docs/formats.md}). Stateless and thread-safe; depends
 * on Netty's buffers only. Client, server, local files and {@code sluice inspect} share this
 * implementation.
 */
package io.sluice.common.block;
