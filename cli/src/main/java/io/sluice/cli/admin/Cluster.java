package io.sluice.cli.admin;

import io.sluice.proto.ServerId;
import io.sluice.proto.ServerInfo;
import java.io.IOException;
import java.util.List;

/** Control calls of a rolling restart. Each call has a timeout. */
public interface Cluster {

  /** All servers known to a coordinator. */
  List<ServerInfo> servers() throws IOException;

  /**
   * Drains a server: it gets no new assignments and writes its memory to disk, but does not exit.
   */
  void drain(ServerId server) throws IOException;

  /** Cancels the drain of a server. */
  void resume(ServerId server) throws IOException;

  /** Number of run files that the server has lost since its start. */
  long lostRuns(ServerId server) throws IOException;
}
