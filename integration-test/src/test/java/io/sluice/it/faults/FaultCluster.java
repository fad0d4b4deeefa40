package io.sluice.it.faults;

import io.sluice.it.cluster.TestCluster;
import io.sluice.it.spark.SparkApplication;
import io.sluice.localcluster.LocalCluster;
import java.nio.file.Path;

/** Clusters and applications with short timeouts and small blocks. */
final class FaultCluster {
  private FaultCluster() {}

  static LocalCluster.Builder builder(Path directory) {
    return TestCluster.builder(directory)
        .configureCoordinators("rss.coordinator.server.heartbeat.interval", "200ms")
        .configureCoordinators("rss.coordinator.server.heartbeat.timeout", "3s")
        .configureServers("rss.server.heartbeat.interval", "200ms")
        .serverJvmOptions("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");
  }

  /**
   * Small blocks, frames and slices, so that servers receive parts of an attempt and readers parts
   * of a partition; retry periods of seconds.
   */
  static SparkApplication impatient(SparkApplication application) {
    return application
        .set("spark.rss.writer.buffer.spill.size", "64k")
        .set("spark.rss.writer.buffer.size", "4k")
        .set("spark.rss.client.send.size.limit", "16k")
        .set("spark.rss.client.read.buffer.size", "16k")
        .set("spark.rss.client.read.prefetch.capacity", "1")
        .set("spark.rss.client.connect.timeout", "2s")
        .set("spark.rss.client.rpc.timeout.ms", "3s")
        .set("spark.rss.client.server.unreachable.timeout", "2s")
        .set("spark.rss.client.send.check.timeout.ms", "5s")
        .set("spark.rss.client.retry.interval.max", "300ms")
        .set("spark.rss.merge.wait", "1s")
        .set("spark.locality.wait", "0s")
        .set("spark.deploy.maxExecutorRetries", "-1");
  }

  /** As {@link #impatient}, but tasks wait for the restart of a server. */
  static SparkApplication awaitingRestarts(SparkApplication application) {
    return impatient(application)
        .set("spark.rss.client.server.unreachable.timeout", "60s")
        // The interval of attempts is short: the default number would end after 7 s.
        .set("spark.rss.client.rpc.maxAttempts", "1000")
        .set("spark.rss.client.retry.max", "1000");
  }
}
