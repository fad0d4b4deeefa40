package io.sluice.server.disk;

/** Kind of a disk. */
public enum StorageKind {
  SSD,
  HDD,
  /** A remote file system, which other machines can read too. */
  REMOTE
}
