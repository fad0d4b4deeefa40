package io.sluice.server.model;

/** An acknowledged block. */
final class ModelEntry {
  final ModelBlock block;
  final long epoch;

  /** Logical offset in the partition, in this epoch. */
  long offset;

  /** Run with the block; null if the block is in memory or lost. */
  ModelRun run;

  boolean lost;

  /** Whether the block was found damaged in its run; it stays lost after restarts. */
  boolean damaged;

  ModelEntry(ModelBlock block, long epoch, long offset) {
    this.block = block;
    this.epoch = epoch;
    this.offset = offset;
  }

  int length() {
    return block.bytes().length;
  }

  long end() {
    return offset + length();
  }
}
