package io.sluice.server.cluster;

import io.sluice.proto.GetStatusReply;
import io.sluice.proto.ServerLoad;
import io.sluice.proto.ServerState;

/** What the server says about itself. Thread-safe; never blocks. */
public interface ServerReport {
  ServerState state();

  ServerLoad load();

  /** Counters since the start of the process, and the current load. */
  GetStatusReply status();
}
