package io.sluice.cli.admin;

import io.sluice.proto.ServerId;
import java.io.IOException;

/** Has a drained server restarted. */
@FunctionalInterface
public interface Restarter {

  /**
   * Returns once the restart is under way or done.
   *
   * @throws IOException why it is not, in one line
   */
  void restart(ServerId server) throws IOException, InterruptedException;
}
