package io.sluice.server.cluster;

import io.sluice.proto.ServerId;
import io.sluice.server.log.ShuffleKey;
import java.io.IOException;
import java.util.Collection;

/** Finds and reaches servers that take over. Thread-safe; every call is bounded in time. */
interface MoveTargets {
  /**
   * @param partitions that would go there
   * @param excluded names of servers that will not do
   * @throws IOException why there is none, in one line
   */
  ServerId find(ShuffleKey shuffle, int partitions, Collection<String> excluded)
      throws IOException, InterruptedException;

  MoveTarget connect(ServerId server, String application) throws IOException, InterruptedException;
}
