package io.sluice.it.hostile;

/** How a cluster and its peers speak. */
enum Encryption {
  CLEAR,
  TLS
}
