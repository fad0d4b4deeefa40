package io.sluice.server.recovery;

import io.sluice.common.run.RunHeader;
import io.sluice.common.run.RunReader;
import io.sluice.server.catalog.RunRecord;
import io.sluice.server.log.ShuffleKey;

/** Makes catalog records from run files. */
public final class RunRecords {
  private RunRecords() {}

  /** The record of an opened run, from its header and footer. */
  public static RunRecord of(RunReader reader) {
    RunHeader header = reader.header();
    return new RunRecord(
        header.runId(),
        new ShuffleKey(header.application(), header.shuffle()),
        header.order(),
        reader.fileLength(),
        reader.replaced());
  }
}
