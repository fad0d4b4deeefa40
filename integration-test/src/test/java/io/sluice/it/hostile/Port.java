package io.sluice.it.hostile;

/** Ports of a cluster. */
enum Port {
  SERVER_DATA,
  SERVER_RPC,
  SERVER_HTTP,
  COORDINATOR_RPC,
  COORDINATOR_HTTP
}
