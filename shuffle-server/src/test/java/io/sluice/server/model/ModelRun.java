package io.sluice.server.model;

import io.sluice.common.run.RunId;
import java.util.Set;

/** A run that was written. */
final class ModelRun {
  final RunId id;
  final Set<ModelEntry> entries;

  /** Number of the directory that the log has it in. */
  int directory;

  ModelRun(RunId id, Set<ModelEntry> entries, int directory) {
    this.id = id;
    this.entries = entries;
    this.directory = directory;
  }
}
