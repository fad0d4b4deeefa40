package io.sluice.demo.staging;

import io.sluice.localcluster.ProgramOutcome;

/**
 * One run of a MapReduce program that succeeded.
 *
 * @param elapsedMs as its user sees it, from its start to its end
 */
public record ProgramRun(long elapsedMs, ProgramOutcome outcome) {

  /** A counter of its jobs by the name that Hadoop prints. */
  public long counter(String name) {
    return outcome.counter(name);
  }
}
