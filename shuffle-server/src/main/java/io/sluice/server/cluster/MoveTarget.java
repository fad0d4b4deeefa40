package io.sluice.server.cluster;

import io.netty.buffer.ByteBuf;
import io.sluice.server.log.ShuffleKey;
import java.io.IOException;

/** A connection to the target server of a move, for one application. Belongs to one thread. */
interface MoveTarget extends AutoCloseable {
  /** The current epoch of the server. */
  long epoch();

  /** The oldest epoch of the server whose acknowledged data is complete. */
  long wholeSinceEpoch();

  int maxBodyBytes();

  /**
   * Sends complete blocks and waits for the acknowledgement, until a timeout.
   *
   * @param body borrows
   * @throws io.sluice.common.error.SluiceException if the server refuses the blocks
   * @throws IOException if the server does not answer
   */
  void push(ShuffleKey shuffle, ByteBuf body) throws IOException, InterruptedException;

  @Override
  void close();
}
