package io.sluice.it.spark.jobs;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/** Every job by its name. */
final class Jobs {
  private static final Map<String, Job> BY_NAME = new LinkedHashMap<>();

  static {
    BY_NAME.put("groupByKey", RddJobs::groupByKey);
    BY_NAME.put("sortByKey", RddJobs::sortByKey);
    BY_NAME.put("cogroup", RddJobs::cogroup);
    BY_NAME.put("repartition", RddJobs::repartition);
    BY_NAME.put("aggregateByKey", RddJobs::aggregateByKey);
    BY_NAME.put("customPartitioner", RddJobs::customPartitioner);
    BY_NAME.put("javaSerializerFewPartitions", RddJobs::javaSerializerFewPartitions);
    BY_NAME.put("javaSerializerManyPartitions", RddJobs::javaSerializerManyPartitions);
    BY_NAME.put("javaSerializerCombine", RddJobs::javaSerializerCombine);
    BY_NAME.put("emptyShuffle", RddJobs::emptyShuffle);
    BY_NAME.put("onePartition", RddJobs::onePartition);
    BY_NAME.put("manyPartitions", RddJobs::manyPartitions);
    BY_NAME.put("largeRecords", RddJobs::largeRecords);
    BY_NAME.put("incompressible", RddJobs::incompressible);
    BY_NAME.put("twoStages", RddJobs::twoStages);
    BY_NAME.put("pauseBetweenShuffles", RddJobs::pauseBetweenShuffles);
    BY_NAME.put("sparseLoss", LossJobs::sparse);
    BY_NAME.put("indeterminateLoss", LossJobs::indeterminate);
    BY_NAME.put("barrierLoss", LossJobs::barrier);
    BY_NAME.put("executorBlamed", LossJobs::executorBlamed);
    BY_NAME.put("cachedUnion", MixedJobs::cachedUnion);
    BY_NAME.put("cachedJoin", MixedJobs::cachedJoin);
    BY_NAME.put("cachedBesideSkewSplits", MixedJobs::cachedBesideSkewSplits);
    BY_NAME.put("cachedBesideLocalReads", MixedJobs::cachedBesideLocalReads);
    BY_NAME.put("cachedBesideCleaned", MixedJobs::cachedBesideCleaned);
    BY_NAME.put("cachedRddUnion", MixedJobs::cachedRddUnion);
    BY_NAME.put("checkpointedUnion", MixedJobs::checkpointedUnion);
    BY_NAME.put("union", MixedJobs::union);
    BY_NAME.put("zipped", MixedJobs::zipped);
    BY_NAME.put("repartitionAndSort", MixedJobs::repartitionAndSort);
    BY_NAME.put("accumulators", MixedJobs::accumulators);
    BY_NAME.put("failingTasks", MixedJobs::failingTasks);
    BY_NAME.put("aggregate", SqlJobs::aggregate);
    BY_NAME.put("join", SqlJobs::join);
    BY_NAME.put("orderSensitive", SqlJobs::orderSensitive);
    BY_NAME.put("window", SqlJobs::window);
    BY_NAME.put("rangeSort", SqlJobs::rangeSort);
    BY_NAME.put("coalesced", SqlJobs::coalesced);
    BY_NAME.put("skewJoin", SqlJobs::skewJoin);
    BY_NAME.put("localReader", SqlJobs::localReader);
    BY_NAME.put("notAdaptive", SqlJobs::notAdaptive);
    BY_NAME.put("keptDataFrame", SqlJobs::keptDataFrame);
    BY_NAME.put("keptChain", SqlJobs::keptChain);
    BY_NAME.put("reusedExchange", SqlJobs::reusedExchange);
    BY_NAME.put("manySplits", AdaptiveJobs::manySplits);
    BY_NAME.put("rebalanced", AdaptiveJobs::rebalanced);
    BY_NAME.put("rebalancedRoundRobin", AdaptiveJobs::rebalancedRoundRobin);
    BY_NAME.put("repartitionHints", AdaptiveJobs::repartitionHints);
    BY_NAME.put("prunedPartitions", AdaptiveJobs::prunedPartitions);
    BY_NAME.put("reorderedJoins", AdaptiveJobs::reorderedJoins);
    BY_NAME.put("broadcastAfterShuffle", AdaptiveJobs::broadcastAfterShuffle);
    BY_NAME.put("broadcastAfterShuffleLocalRead", AdaptiveJobs::broadcastAfterShuffleLocalRead);
    BY_NAME.put("mapGate", GatedQueries::mapGate);
    BY_NAME.put("readGate", GatedQueries::readGate);
    BY_NAME.put("speculatedQuery", CometQueries::speculatedQuery);
    BY_NAME.put("lastRowGate", CometQueries::lastRowGate);
    BY_NAME.put("largeQuery", CometQueries::largeQuery);
    BY_NAME.put("sortOfFewKeys", CometQueries::sortOfFewKeys);
    BY_NAME.put("cachedThenShuffled", ApiJobs::cachedThenShuffled);
    BY_NAME.put("twentyThousandPartitions", ApiJobs::twentyThousandPartitions);
    BY_NAME.put("longLineage", ApiJobs::longLineage);
    BY_NAME.put("forgottenShuffles", ApiJobs::forgottenShuffles);
    BY_NAME.put("speculated", ApiJobs::speculated);
    BY_NAME.put("barrier", ApiJobs::barrier);
    BY_NAME.put("indeterminate", ApiJobs::indeterminate);
    BY_NAME.put("readInPart", ApiJobs::readInPart);
    BY_NAME.put("settings", VersionJobs::settings);
    BY_NAME.put("rowChecksums", VersionJobs::rowChecksums);
    BY_NAME.put("streaming", StreamingJobs::streaming);
    BY_NAME.put("idleExecutors", ExecutorJobs::idleExecutors);
    BY_NAME.put("idleWriters", ExecutorJobs::idleWriters);
    BY_NAME.put("decommissioned", ExecutorJobs::decommissioned);
    BY_NAME.put("lostExecutor", ExecutorJobs::lostExecutor);
    BY_NAME.put("moreExecutors", ExecutorJobs::moreExecutors);
  }

  private Jobs() {}

  /**
   * @param name name of a job; {@code NAME#N} is the same job, so that a result of each run is kept
   */
  static Job named(String name) {
    if (Stream.of(FaultJob.PREFIX, FaultJob.ORDER_PREFIX, FaultJob.STAGES_PREFIX)
        .anyMatch(name::startsWith)) {
      return new FaultJob(name);
    }
    Job job = BY_NAME.get(name.split("#", 2)[0]);
    if (job != null) {
      return job;
    }
    return WorkloadJob.named(name)
        .orElseThrow(
            () ->
                new IllegalArgumentException("no job " + name + "; there are " + BY_NAME.keySet()));
  }
}
