package io.sluice.server.model;

/** A block that the server has acknowledged. */
final class ModelEntry {
  final ModelBlock block;
  final long epoch;

  /** Logical offset in the partition, in this epoch. */
  long offset;

  /** The run that the log has it in; null: it is in memory, or lost. */
  ModelRun run;

  boolean lost;

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
