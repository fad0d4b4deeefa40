package io.sluice.it.hostile;

/** Encryption of the connections of a cluster. */
enum Encryption {
  CLEAR,
  TLS
}
