package io.sluice.server.background;

import io.sluice.common.run.RunFormatException;
import io.sluice.server.disk.RunFile;
import java.io.IOException;

/** Reports runs that could not be merged to the health of their disk. Thread-safe. */
public final class ReportedMergeInputs implements MergeWriter.InputFailure {
  @Override
  public void failed(RunFile run, IOException problem) {
    Throwable cause = problem.getCause();
    if (cause instanceof RunFormatException damage) {
      run.disk().health().checksumFailed(run.toString(), damage.offset());
    } else {
      run.disk().health().readFailed(run.failedRead(), problem);
    }
  }
}
