package io.sluice.demo.staging;

import io.sluice.localcluster.ProgramOutcome;

/**
 * A successful run of a MapReduce program.
 *
 * @param elapsedMs time from start to end of the submitting program
 */
public record ProgramRun(long elapsedMs, ProgramOutcome outcome) {

  /** Sum of a counter over its jobs, by the name that Hadoop prints. */
  public long counter(String name) {
    return outcome.counter(name);
  }
}
