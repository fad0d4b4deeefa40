package io.sluice.demo;

import io.sluice.demo.staging.ProgramRun;
import io.sluice.localcluster.ClusterCounters;

/**
 * One run of a MapReduce program on one side.
 *
 * @param servers counters of the shuffle servers for this run
 */
public record ProgramTurn(ProgramRun run, JobOutput output, ClusterCounters servers) {}
