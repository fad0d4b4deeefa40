package io.sluice.client.push;

import io.netty.buffer.ByteBuf;
import java.io.IOException;

/**
 * Writes blocks that no server accepts to the local output of a map attempt. Called by the task
 * thread that owns the session.
 */
public interface LocalSink {
  /**
   * Stores the body of a frame. A server may have stored the frame too; readers then drop the
   * duplicates.
   *
   * @param body borrows: whole sealed blocks, those of one partition adjacent
   * @throws IOException if the blocks cannot be stored; the attempt then fails
   */
  void accept(ByteBuf body) throws IOException;
}
