package io.sluice.spark.stats;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.sluice.client.push.PushCounters;
import io.sluice.client.read.ReadCounters;
import java.io.Serializable;
import java.util.concurrent.TimeUnit;

/**
 * Counters of one shuffle, summed over its successful task attempts. Bytes are those of blocks,
 * including headers. Event logs contain them; the annotations name their fields, because the class
 * is not a record in the jar ({@code docs/decisions/0024}).
 */
public record ShuffleCounters(
    @JsonProperty("writes") Writes writes, @JsonProperty("reads") Reads reads)
    implements Serializable {
  public static final ShuffleCounters ZERO = new ShuffleCounters(Writes.ZERO, Reads.ZERO);

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
   */
  public record Reads(
      @JsonProperty("count") long count,
      @JsonProperty("receipts") long receipts,
      @JsonProperty("bytes") long bytes,
      @JsonProperty("fileBytes") long fileBytes,
      @JsonProperty("localBytes") long localBytes,
      @JsonProperty("retries") long retries,
      @JsonProperty("waitMs") long waitMs)
      implements Serializable {
    static final Reads ZERO = new Reads(0, 0, 0, 0, 0, 0, 0);

    Reads plus(Reads other) {
      return new Reads(
          count + other.count,
          receipts + other.receipts,
          bytes + other.bytes,
          fileBytes + other.fileBytes,
          localBytes + other.localBytes,
          retries + other.retries,
          waitMs + other.waitMs);
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
            TimeUnit.NANOSECONDS.toMillis(push.waitNanos())),
        Reads.ZERO);
  }

  /** Counters of one read. */
  public static ShuffleCounters of(ReadCounters read) {
    return new ShuffleCounters(
        Writes.ZERO,
        new Reads(
            1,
            read.receipts(),
            read.bytes(),
            read.files().bytes(),
            read.local().bytes(),
            read.requests().retries(),
            TimeUnit.NANOSECONDS.toMillis(read.waitNanos())));
  }

  public ShuffleCounters plus(ShuffleCounters other) {
    return new ShuffleCounters(writes.plus(other.writes), reads.plus(other.reads));
  }
}
