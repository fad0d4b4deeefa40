package io.sluice.spark.stats;

import io.sluice.client.push.PushCounters;
import io.sluice.client.read.ReadCounters;
import java.io.Serializable;
import java.util.concurrent.TimeUnit;

/**
 * What tasks did with one shuffle. Attempts count that ended well; bytes are those of blocks,
 * headers included.
 *
 * @param mapAttempts map attempts that ended
 * @param records records that they wrote
 * @param pushedBytes bytes that servers took, copies counted once
 * @param leftLocalBytes bytes that went to local output
 * @param pushRetries pushes that were repeated
 * @param furtherServers times that an attempt went on at a further server
 * @param pushWaitMs time that attempts waited for servers
 * @param reads reduce tasks' reads that ended
 * @param readBytes bytes that servers sent, or that were read from their run files
 * @param fileBytes those of readBytes that were read from run files without their server
 * @param readLocalBytes bytes that were read from local output
 * @param readRetries requests that were repeated
 * @param readWaitMs time that reads waited
 */
public record ShuffleCounters(
    long mapAttempts,
    long records,
    long pushedBytes,
    long leftLocalBytes,
    long pushRetries,
    long furtherServers,
    long pushWaitMs,
    long reads,
    long readBytes,
    long fileBytes,
    long readLocalBytes,
    long readRetries,
    long readWaitMs)
    implements Serializable {
  public static final ShuffleCounters ZERO =
      new ShuffleCounters(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

  /** Of one map attempt. */
  public static ShuffleCounters of(PushCounters push) {
    return new ShuffleCounters(
        1,
        push.records(),
        Math.max(0, push.bytes() - push.localBytes()),
        push.localBytes(),
        push.retries(),
        push.furtherServers(),
        TimeUnit.NANOSECONDS.toMillis(push.waitNanos()),
        0,
        0,
        0,
        0,
        0,
        0);
  }

  /** Of one read. */
  public static ShuffleCounters of(ReadCounters read) {
    return new ShuffleCounters(
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        1,
        read.bytes(),
        read.fileBytes(),
        read.localBytes(),
        read.retries(),
        TimeUnit.NANOSECONDS.toMillis(read.waitNanos()));
  }

  public ShuffleCounters plus(ShuffleCounters other) {
    return new ShuffleCounters(
        mapAttempts + other.mapAttempts,
        records + other.records,
        pushedBytes + other.pushedBytes,
        leftLocalBytes + other.leftLocalBytes,
        pushRetries + other.pushRetries,
        furtherServers + other.furtherServers,
        pushWaitMs + other.pushWaitMs,
        reads + other.reads,
        readBytes + other.readBytes,
        fileBytes + other.fileBytes,
        readLocalBytes + other.readLocalBytes,
        readRetries + other.readRetries,
        readWaitMs + other.readWaitMs);
  }
}
