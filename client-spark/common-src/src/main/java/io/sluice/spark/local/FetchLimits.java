package io.sluice.spark.local;

import org.apache.spark.SparkConf;

/**
 * Limits for fetching local output of other executors, from Spark's settings for shuffle files.
 *
 * @param inFlightBytes maximum bytes requested or waiting to be read, estimated from map statuses
 * @param requestsInFlight maximum number of requests without an answer
 * @param blocksPerAddress maximum number of blocks without an answer from one address
 * @param inMemoryBytes requests above this size go to temporary files
 * @param retryPeriodMs maximum time without any reply; outstanding requests then fail
 */
public record FetchLimits(
    long inFlightBytes,
    int requestsInFlight,
    int blocksPerAddress,
    long inMemoryBytes,
    long retryPeriodMs) {
  /** Number of parallel requests that share {@code inFlightBytes}. */
  private static final int REQUESTS = 5;

  /** Maximum number of blocks of one request: enough to make the cost of a request negligible. */
  private static final int USEFUL_BLOCKS = 1000;

  public FetchLimits {
    if (inFlightBytes < 1
        || requestsInFlight < 1
        || blocksPerAddress < 1
        || inMemoryBytes < 0
        || retryPeriodMs < 1) {
      throw new IllegalArgumentException(
          "expected positive limits, found inFlightBytes="
              + inFlightBytes
              + " requestsInFlight="
              + requestsInFlight
              + " blocksPerAddress="
              + blocksPerAddress
              + " inMemoryBytes="
              + inMemoryBytes
              + " retryPeriodMs="
              + retryPeriodMs);
    }
  }

  public static FetchLimits of(SparkConf conf) {
    long timeoutMs =
        1000
            * conf.getTimeAsSeconds(
                "spark.shuffle.io.connectionTimeout",
                conf.getTimeAsSeconds("spark.network.timeout", "120s") + "s");
    long retries = conf.getInt("spark.shuffle.io.maxRetries", 3);
    long retryWaitMs = 1000 * conf.getTimeAsSeconds("spark.shuffle.io.retryWait", "5s");
    return new FetchLimits(
        Math.max(1, conf.getSizeAsBytes("spark.reducer.maxSizeInFlight", "48m")),
        Math.max(1, conf.getInt("spark.reducer.maxReqsInFlight", Integer.MAX_VALUE)),
        Math.max(1, conf.getInt("spark.reducer.maxBlocksInFlightPerAddress", Integer.MAX_VALUE)),
        conf.getSizeAsBytes("spark.network.maxRemoteBlockSizeFetchToMem", "200m"),
        // Spark reports a failure within this time, after all its retries.
        (retries + 1) * (timeoutMs + retryWaitMs));
  }

  /** Maximum number of blocks of one request. */
  int requestBlocks() {
    return Math.min(USEFUL_BLOCKS, blocksPerAddress);
  }

  /** Maximum bytes of one request, unless one block is larger. */
  long requestBytes() {
    return Math.max(1, inFlightBytes / REQUESTS);
  }
}
