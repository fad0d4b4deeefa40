package io.sluice.client;

/** Which blocks map tasks write to local output: map output files of the engine on local disks. */
public enum LocalOutputMode {
  /** Only blocks that no server accepts. */
  FALLBACK,
  /** All blocks; a background push then sends them to servers, best effort. */
  ALWAYS,
  /** None: a block that no server accepts fails the attempt. */
  NEVER
}
