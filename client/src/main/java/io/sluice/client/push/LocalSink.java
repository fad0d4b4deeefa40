package io.sluice.client.push;

import io.netty.buffer.ByteBuf;
import java.io.IOException;

/**
 * Takes the blocks of a map attempt that no server takes, for the attempt's local output. Called by
 * the task thread that owns the session.
 */
public interface LocalSink {
  /**
   * Keeps blocks: the body of a frame that some server may have taken as well, which does no harm
   * because a reader counts each block once.
   *
   * @param body borrows: whole sealed blocks, those of one partition adjacent
   * @throws IOException if they cannot be kept; the attempt fails then
   */
  void accept(ByteBuf body) throws IOException;
}
