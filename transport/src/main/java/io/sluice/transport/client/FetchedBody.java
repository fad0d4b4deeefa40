package io.sluice.transport.client;

import io.netty.buffer.ByteBuf;
import io.sluice.proto.FetchReply;

/**
 * Reply to a Fetch.
 *
 * @param bytes owned; the bytes of all ranges in order, contiguous, off-heap; released by {@link
 *     #close}
 */
public record FetchedBody(FetchReply head, ByteBuf bytes) implements AutoCloseable {
  @Override
  public void close() {
    bytes.release();
  }
}
