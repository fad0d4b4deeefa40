package io.sluice.server.model;

import io.sluice.server.catalog.RunRecord;
import java.util.List;

/** A run that was written. */
final class ModelRun {
  final RunRecord record;

  /** Those of a partition in the order of their bytes. */
  List<ModelEntry> entries;

  /** Number of the directory that the log has it in. */
  int directory;

  ModelRun(RunRecord record, List<ModelEntry> entries, int directory) {
    this.record = record;
    this.entries = entries;
    this.directory = directory;
  }
}
