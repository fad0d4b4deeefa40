package io.sluice.cli.admin;

import io.sluice.proto.ServerId;
import io.sluice.proto.ServerInfo;
import java.io.IOException;
import java.util.List;

/** What a rolling restart asks and tells. Every call is bounded in time. */
public interface Cluster {

  /** The servers as a coordinator sees them. */
  List<ServerInfo> servers() throws IOException;

  /** Has a server take nothing new, write its memory to disk, and stay. */
  void drain(ServerId server) throws IOException;

  /** Has a drained server go on as before. */
  void resume(ServerId server) throws IOException;

  /** Run files that this life of a server has lost. */
  long lostRuns(ServerId server) throws IOException;
}
