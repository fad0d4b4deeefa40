package io.sluice.server.config;

import io.sluice.common.config.ConfigSchema;

/**
 * Keys of a Uniffle server's configuration that are accepted although nothing is left for them to
 * do, so that such a file works as it stands; and those whose silence would be dangerous, which are
 * refused by name.
 */
public final class UniffleKeys {
  private static final String NO_RESERVATION =
      "memory is taken when a frame arrives, there is no reservation that could expire";
  private static final String ONE_WRITER = "each disk has one writer that writes large runs";
  private static final String WHOLE_RUNS =
      "what is spilled, and when, follows from the memory watermarks";
  private static final String NO_COMMIT =
      "blocks are acknowledged one frame at a time, without a commit";
  private static final String TIERS =
      "memory, local directories and the remote file system are used in this order";
  private static final String ALWAYS_CHECKED =
      "disks are watched always, and a server without a usable one reports itself unhealthy";
  private static final String NO_JETTY = "the HTTP port is served without Jetty";
  private static final String NO_SORTED_MERGE = "records are not merged by key in the server";
  private static final String NO_HUGE =
      "a huge partition is reported as full and its application limited in memory, without a"
          + " hard limit";
  private static final String ONE_BUFFER = "there is one kind of buffer, an arena of slabs";

  private UniffleKeys() {}

  /** Adds them to a schema. */
  public static ConfigSchema.Builder ignoredBy(ConfigSchema.Builder schema) {
    return schema
        .ignored("rss.server.preAllocation.expired", NO_RESERVATION)
        .ignored("rss.server.preAllocation.reserve.log.interval", NO_RESERVATION)
        .ignored("rss.server.memory.request.retry.max", NO_RESERVATION)
        .ignored("rss.server.flush.localfile.threadPool.size", ONE_WRITER)
        .ignored("rss.server.flush.hadoop.threadPool.size", ONE_WRITER)
        .ignored("rss.server.flush.threadPool.size", ONE_WRITER)
        .ignored("rss.server.flush.threadPool.alive", ONE_WRITER)
        .ignored("rss.server.flush.threadPool.queue.size", ONE_WRITER)
        .ignored("rss.server.flush.thread.alive", ONE_WRITER)
        .ignored("rss.server.max.concurrency.of.per-partition.write", ONE_WRITER)
        .ignored("rss.server.max.concurrency.limit.of.per-partition.write", ONE_WRITER)
        .ignored("rss.server.single.buffer.flush.enabled", WHOLE_RUNS)
        .ignored("rss.server.single.buffer.flush.threshold", WHOLE_RUNS)
        .ignored("rss.server.single.buffer.flush.blocksNum.threshold", WHOLE_RUNS)
        .ignored("rss.server.memory.shuffle.buffer.flush.*", WHOLE_RUNS)
        .ignored("rss.server.hybrid.storage.*", TIERS)
        .ignored("rss.server.multistorage.*", TIERS)
        .ignored("rss.server.write.retry.max", "a failed write goes to the next disk at once")
        .ignored(
            "rss.server.write.slow.threshold",
            "a slow disk is found by rss.server.disk.slow.factor")
        .ignored("rss.server.pending.event.timeout.sec", "nothing that waits to be spilled expires")
        .ignored("rss.server.commit.timeout", NO_COMMIT)
        .ignored("rss.server.commit.check.interval.max", NO_COMMIT)
        .ignored("rss.server.heartbeat.delay", "the first heartbeat goes out at once")
        .ignored("rss.server.heartbeat.thread.num", "heartbeats do not wait in threads")
        .ignored("rss.server.health.*", ALWAYS_CHECKED)
        .ignored("rss.server.local.storage.*", ALWAYS_CHECKED)
        .ignored("rss.server.localstorage.*", ALWAYS_CHECKED)
        .ignored("rss.server.huge-partition.*", NO_HUGE)
        .ignored("rss.server.shuffleBuffer.type", ONE_BUFFER)
        .ignored("rss.server.buffer.lab.*", ONE_BUFFER)
        .ignored(
            "rss.server.leak.shuffledata.check.interval", "files are deleted with their shuffle")
        .ignored("rss.server.cleanup.*", "files are deleted with their shuffle")
        .ignored("rss.server.storage.audit.log.enabled", "there is no audit log of the storage")
        .ignored("rss.server.rpc.audit.log.*", "requests are counted, see /metrics")
        .ignored(
            "rss.server.decommission.shutdown",
            "a decommissioned server always ends once it is empty")
        .ignored("rss.server.merge.enable", NO_SORTED_MERGE)
        .ignored("rss.server.merge.default.merged.block.size", NO_SORTED_MERGE)
        .ignored("rss.server.merge.cache.*", NO_SORTED_MERGE)
        .ignored("rss.server.merge.block.ring.*", NO_SORTED_MERGE)
        .ignored("rss.server.merge.class.loader.*", NO_SORTED_MERGE)
        .ignored("rss.server.event.size.threshold.*", WHOLE_RUNS)
        .ignored("rss.server.netty.accept.thread", "connections are accepted on one thread")
        .ignored("rss.server.netty.connect.timeout", "the server connects to nobody over Netty")
        .ignored("rss.server.netty.receive.buf", "the kernel sizes socket buffers")
        .ignored("rss.server.netty.send.buf", "the kernel sizes socket buffers")
        .ignored("rss.rpc.netty.*", "gRPC's allocator needs no settings")
        .ignored("rss.rpc.executor.queue.size", "gRPC's flow control bounds what waits")
        .ignored("rss.rpc.metrics.enabled", "requests are always counted, see /metrics")
        .ignored("rss.jvm.metrics.verbose.enable", "the JVM's metrics are always shown")
        .ignored("rss.metrics.*", "metrics are read from /metrics")
        .ignored("rss.reconfigure.interval.sec", "the configuration is read once, at the start")
        .ignored("rss.jetty.corePool.size", NO_JETTY)
        .ignored("rss.jetty.maxPool.size", NO_JETTY)
        .ignored("rss.jetty.queue.size", NO_JETTY)
        .ignored("rss.jetty.stop.timeout", NO_JETTY)
        .ignored("rss.jetty.http.idle.timeout", NO_JETTY)
        .ignored("rss.jetty.https.port", "the HTTP port speaks plain HTTP")
        .ignored("rss.jetty.ssl.keystore.*", "the HTTP port speaks plain HTTP")
        .ignored("rss.jetty.ssl.keymanager.*", "the HTTP port speaks plain HTTP")
        .ignored("rss.jetty.ssl.truststore.*", "the HTTP port speaks plain HTTP")
        .removed(
            "rss.http.basic.authorizationCredentials",
            "the HTTP port has no login and shows metrics only; close it to others");
  }
}
