package io.sluice.server.storage;

/** What a disk is good at. */
public enum StorageKind {
  SSD,
  HDD
}
