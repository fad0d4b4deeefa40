package io.sluice.spark.local;

import org.apache.spark.SparkConf;

/**
 * How much of other executors' local output is fetched at a time: Spark's own settings for shuffle
 * files.
 *
 * @param inFlightBytes most bytes that are on their way or wait to be read, as far as map statuses
 *     tell
 * @param requestsInFlight maximum number of requests without an answer
 * @param blocksPerAddress maximum number of blocks without an answer from one address
 * @param inMemoryBytes larger blocks go to a temporary file
 * @param retryPeriodMs longest silence; what has not come by then is given up
 */
public record FetchLimits(
    long inFlightBytes,
    int requestsInFlight,
    int blocksPerAddress,
    long inMemoryBytes,
    long retryPeriodMs) {
  /** Parallel requests that share what may be in flight. */
  private static final int REQUESTS = 5;

  /** Of one request when nothing else is said: what a request costs is lost in that. */
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
        // Spark itself reports a failure by then, after all its tries.
        (retries + 1) * (timeoutMs + retryWaitMs));
  }

  /** Maximum number of blocks of one request. */
  int requestBlocks() {
    return Math.min(USEFUL_BLOCKS, blocksPerAddress);
  }

  /** Bytes of one request, unless one block is larger. */
  long requestBytes() {
    return Math.max(1, inFlightBytes / REQUESTS);
  }
}
