package io.sluice.server.cluster;

import io.netty.buffer.ByteBuf;
import io.sluice.server.log.ShuffleKey;
import java.io.IOException;

/** A connection to the server that takes over, for one application. Belongs to one thread. */
interface MoveTarget extends AutoCloseable {
  /** Of the server's life at this moment. */
  long epoch();

  /** The oldest epoch of the server of which nothing acknowledged is missing. */
  long wholeSinceEpoch();

  int maxBodyBytes();

  /**
   * Sends whole blocks and waits until they are in the log there, for a bounded time.
   *
   * @param body borrows
   * @throws io.sluice.common.error.SluiceException what the server refuses
   * @throws IOException the server does not answer
   */
  void push(ShuffleKey shuffle, ByteBuf body) throws IOException, InterruptedException;

  @Override
  void close();
}
