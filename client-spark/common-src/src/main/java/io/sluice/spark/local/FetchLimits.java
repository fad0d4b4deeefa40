package io.sluice.spark.local;

import org.apache.spark.SparkConf;

/**
 * How much of other executors' local output is fetched at a time: Spark's own settings for shuffle
 * files.
 *
 * @param inFlightBytes most bytes that are on their way or wait to be read, as far as map statuses
 *     tell
 * @param blocksPerRequest most blocks asked for in one request
 * @param inMemoryBytes larger blocks go to a temporary file
 * @param patienceMs longest silence; what has not come by then is given up
 */
public record FetchLimits(
    long inFlightBytes, int blocksPerRequest, long inMemoryBytes, long patienceMs) {
  /** Parallel requests that share what may be in flight. */
  private static final int REQUESTS = 5;

  /** Of one request when nothing else is said: what a request costs is lost in that. */
  private static final int USEFUL_BLOCKS = 1000;

  public FetchLimits {
    if (inFlightBytes < 1 || blocksPerRequest < 1 || inMemoryBytes < 0 || patienceMs < 1) {
      throw new IllegalArgumentException(
          "expected positive limits, found inFlightBytes="
              + inFlightBytes
              + " blocksPerRequest="
              + blocksPerRequest
              + " inMemoryBytes="
              + inMemoryBytes
              + " patienceMs="
              + patienceMs);
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
        Math.min(
            USEFUL_BLOCKS,
            Math.max(
                1, conf.getInt("spark.reducer.maxBlocksInFlightPerAddress", Integer.MAX_VALUE))),
        conf.getSizeAsBytes("spark.network.maxRemoteBlockSizeFetchToMem", "200m"),
        // Spark itself reports a failure by then, after all its tries.
        (retries + 1) * (timeoutMs + retryWaitMs));
  }

  /** Bytes of one request, unless one block is larger. */
  long requestBytes() {
    return Math.max(1, inFlightBytes / REQUESTS);
  }
}
