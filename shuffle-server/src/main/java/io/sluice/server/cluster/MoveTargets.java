package io.sluice.server.cluster;

import io.sluice.proto.ServerId;
import io.sluice.server.log.ShuffleKey;
import java.io.IOException;
import java.util.Collection;

/** Finds target servers of moves and connects to them. Thread-safe; every call has a timeout. */
interface MoveTargets {
  /**
   * @param partitions number of partitions to move
   * @param excluded names of servers that must not be used
   * @throws IOException if there is no target; the message is one line
   */
  ServerId find(ShuffleKey shuffle, int partitions, Collection<String> excluded)
      throws IOException, InterruptedException;

  MoveTarget connect(ServerId server, String application) throws IOException, InterruptedException;
}
