package io.sluice.spark.stats;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.sluice.client.push.PushCounters;
import io.sluice.client.read.ReadCounters;
import io.sluice.client.server.ServerTimes;
import io.sluice.client.server.ServerTimes.ServerTime;
import java.io.Serializable;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Counters of one shuffle, summed over its successful task attempts. Bytes are those of blocks,
 * including headers. Event logs contain them; the annotations name their fields, because the class
 * is not a record in the jar ({@code docs/decisions/0024}).
 */
public record ShuffleCounters(
    @JsonProperty("writes") Writes writes,
    @JsonProperty("reads") Reads reads,
    @JsonProperty("servers") Map<String, AtServer> servers)
    implements Serializable {
  public static final ShuffleCounters ZERO =
      new ShuffleCounters(Writes.ZERO, Reads.ZERO, Collections.emptyMap());

  /**
   * @param servers by name; null in the event logs of earlier versions
   */
  public ShuffleCounters {
    // A serializable map, also with Java 8.
    servers =
        servers == null || servers.isEmpty()
            ? Collections.emptyMap()
            : Collections.unmodifiableMap(new TreeMap<>(servers));
  }

  /**
   * Bytes that tasks exchanged with one server, and the time that they waited for it.
   *
   * @param pushedBytes bytes sent, including copies and repeated frames
   * @param readBytes bytes sent by the server or read directly from its run files
   * @param pushWaitMs time that map attempts waited for the server
   * @param readWaitMs time that reads waited for the server
   * @param memoryWaitMs part of the waits while the server was short of memory and wrote to no disk
   * @param diskWaitMs part of the waits while disks of the server were written or read
   */
  public record AtServer(
      @JsonProperty("pushedBytes") long pushedBytes,
      @JsonProperty("readBytes") long readBytes,
      @JsonProperty("pushWaitMs") long pushWaitMs,
      @JsonProperty("readWaitMs") long readWaitMs,
      @JsonProperty("memoryWaitMs") long memoryWaitMs,
      @JsonProperty("diskWaitMs") long diskWaitMs)
      implements Serializable {
    static AtServer pushed(ServerTime time) {
      return new AtServer(
          time.bytes(),
          0,
          millis(time.waitNanos()),
          0,
          millis(time.memoryNanos()),
          millis(time.diskNanos()));
    }

    static AtServer read(ServerTime time) {
      return new AtServer(
          0,
          time.bytes(),
          0,
          millis(time.waitNanos()),
          millis(time.memoryNanos()),
          millis(time.diskNanos()));
    }

    AtServer plus(AtServer other) {
      return new AtServer(
          pushedBytes + other.pushedBytes,
          readBytes + other.readBytes,
          pushWaitMs + other.pushWaitMs,
          readWaitMs + other.readWaitMs,
          memoryWaitMs + other.memoryWaitMs,
          diskWaitMs + other.diskWaitMs);
    }
  }

  /**
   * Counters of map tasks.
   *
   * @param attempts map attempts that ended
   * @param records records written
   * @param recordBytes bytes of these records, as Spark serialized them
   * @param pushedBytes bytes that servers accepted; replicas are counted once
   * @param localBytes bytes written to local output
   * @param retries pushes that were repeated
   * @param replacementServers number of times that an attempt continued on a replacement server
   * @param waitMs time that attempts waited for servers
   */
  public record Writes(
      @JsonProperty("attempts") long attempts,
      @JsonProperty("records") long records,
      @JsonProperty("recordBytes") long recordBytes,
      @JsonProperty("pushedBytes") long pushedBytes,
      @JsonProperty("localBytes") long localBytes,
      @JsonProperty("retries") long retries,
      @JsonProperty("replacementServers") long replacementServers,
      @JsonProperty("waitMs") long waitMs)
      implements Serializable {
    static final Writes ZERO = new Writes(0, 0, 0, 0, 0, 0, 0, 0);

    Writes plus(Writes other) {
      return new Writes(
          attempts + other.attempts,
          records + other.records,
          recordBytes + other.recordBytes,
          pushedBytes + other.pushedBytes,
          localBytes + other.localBytes,
          retries + other.retries,
          replacementServers + other.replacementServers,
          waitMs + other.waitMs);
    }
  }

  /**
   * Counters of reduce tasks.
   *
   * @param count reads that ended
   * @param receipts receipts that matched: of one map attempt in one partition each
   * @param bytes bytes sent by servers or read directly from their run files
   * @param fileBytes bytes read directly from run files, included in {@code bytes}
   * @param localBytes bytes read from local output
   * @param retries requests that were repeated
   * @param waitMs time that reads waited
   * @param durationMs time from the first request of a read until its task has processed its last
   *     record
   * @param longestMs duration of the longest read
   * @param longestBytes bytes of the longest read, including those from local output
   */
  public record Reads(
      @JsonProperty("count") long count,
      @JsonProperty("receipts") long receipts,
      @JsonProperty("bytes") long bytes,
      @JsonProperty("fileBytes") long fileBytes,
      @JsonProperty("localBytes") long localBytes,
      @JsonProperty("retries") long retries,
      @JsonProperty("waitMs") long waitMs,
      @JsonProperty("durationMs") long durationMs,
      @JsonProperty("longestMs") long longestMs,
      @JsonProperty("longestBytes") long longestBytes)
      implements Serializable {
    static final Reads ZERO = new Reads(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    Reads plus(Reads other) {
      return new Reads(
          count + other.count,
          receipts + other.receipts,
          bytes + other.bytes,
          fileBytes + other.fileBytes,
          localBytes + other.localBytes,
          retries + other.retries,
          waitMs + other.waitMs,
          durationMs + other.durationMs,
          Math.max(longestMs, other.longestMs),
          longestMs >= other.longestMs ? longestBytes : other.longestBytes);
    }

    /** Time by which the longest read exceeds the mean of all reads. */
    public long excessMs() {
      return count == 0 ? 0 : longestMs - durationMs / count;
    }
  }

  /** Counters of one map attempt. */
  public static ShuffleCounters of(PushCounters push) {
    long localBytes = push.rerouted().localBytes();
    return new ShuffleCounters(
        new Writes(
            1,
            push.records(),
            push.uncompressedBytes(),
            Math.max(0, push.bytes() - localBytes),
            localBytes,
            push.retries(),
            push.rerouted().replacementServers(),
            millis(push.waitNanos())),
        Reads.ZERO,
        atServers(push.servers(), AtServer::pushed));
  }

  /**
   * Counters of one read.
   *
   * @param durationNanos time from its first request until its task has processed its last record
   */
  public static ShuffleCounters of(ReadCounters read, long durationNanos) {
    return new ShuffleCounters(
        Writes.ZERO,
        new Reads(
            1,
            read.receipts(),
            read.bytes(),
            read.files().bytes(),
            read.local().bytes(),
            read.requests().retries(),
            millis(read.waitNanos()),
            millis(durationNanos),
            millis(durationNanos),
            read.bytes() + read.local().bytes()),
        atServers(read.servers(), AtServer::read));
  }

  private static Map<String, AtServer> atServers(
      ServerTimes times, Function<ServerTime, AtServer> counters) {
    Map<String, AtServer> servers = new TreeMap<>();
    times.byServer().forEach((server, time) -> servers.put(server, counters.apply(time)));
    return servers;
  }

  private static long millis(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(nanos);
  }

  public ShuffleCounters plus(ShuffleCounters other) {
    return new ShuffleCounters(
        writes.plus(other.writes), reads.plus(other.reads), sum(servers, other.servers));
  }

  private static Map<String, AtServer> sum(Map<String, AtServer> one, Map<String, AtServer> more) {
    if (one.isEmpty() || more.isEmpty()) {
      return one.isEmpty() ? more : one;
    }
    Map<String, AtServer> sum = new TreeMap<>(one);
    more.forEach((server, counters) -> sum.merge(server, counters, AtServer::plus));
    return sum;
  }
}
