package io.sluice.server.disk;

/** What a disk is good at. */
public enum StorageKind {
  SSD,
  HDD,
  /** Not a disk of this machine: a file system that others can read too. */
  REMOTE
}
