package io.sluice.cli.admin;

import io.sluice.proto.ServerId;
import java.io.IOException;

/** Restarts a drained server. */
@FunctionalInterface
public interface Restarter {

  /**
   * Returns when the restart has begun or is done.
   *
   * @throws IOException if the restart failed, with a message of one line
   */
  void restart(ServerId server) throws IOException, InterruptedException;
}
