package io.sluice.it.hostile;

/** What a cluster listens on. */
enum Port {
  SERVER_DATA,
  SERVER_RPC,
  SERVER_HTTP,
  COORDINATOR_RPC,
  COORDINATOR_HTTP
}
