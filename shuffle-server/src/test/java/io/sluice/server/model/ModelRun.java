package io.sluice.server.model;

import io.sluice.server.catalog.RunRecord;
import java.util.List;

/** A written run. */
final class ModelRun {
  final RunRecord record;

  /** Entries of the run; those of one partition in the order of their bytes. */
  List<ModelEntry> entries;

  /** Index of the run's directory. */
  int directory;

  ModelRun(RunRecord record, List<ModelEntry> entries, int directory) {
    this.record = record;
    this.entries = entries;
    this.directory = directory;
  }
}
