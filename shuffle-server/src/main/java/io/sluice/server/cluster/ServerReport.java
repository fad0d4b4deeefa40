package io.sluice.server.cluster;

import io.sluice.proto.GetStatusReply;
import io.sluice.proto.ServerLoad;
import io.sluice.proto.ServerState;

/** State, load and status of the server. Thread-safe; never blocks. */
public interface ServerReport {
  ServerState state();

  ServerLoad load();

  /** Counters since the start of the process, and the current load. */
  GetStatusReply status();
}
