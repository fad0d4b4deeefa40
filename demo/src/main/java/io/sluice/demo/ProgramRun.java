package io.sluice.demo;

import io.sluice.localcluster.yarn.ProgramOutcome;

/**
 * One run of a MapReduce program that succeeded.
 *
 * @param elapsedMs as its user sees it, from its start to its end
 */
record ProgramRun(long elapsedMs, ProgramOutcome outcome) {

  /** A counter of its jobs by the name that Hadoop prints. */
  long counter(String name) {
    return outcome.counter(name);
  }
}
