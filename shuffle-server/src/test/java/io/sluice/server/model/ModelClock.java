package io.sluice.server.model;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** A clock that a schedule advances, or that reads the time of a subclass. */
public class ModelClock extends Clock implements LongSupplier {
  static final long START_MS = 1_795_000_000_000L;

  private long millis;

  final void advance(long byMs) {
    millis += byMs;
  }

  /** Milliseconds since the start. */
  protected long elapsedMs() {
    return millis;
  }

  /** Nanoseconds of a monotonic clock. */
  @Override
  public long getAsLong() {
    return TimeUnit.MILLISECONDS.toNanos(elapsedMs() + 1);
  }

  @Override
  public long millis() {
    return START_MS + elapsedMs();
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(millis());
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  @Override
  public Clock withZone(ZoneId zone) {
    throw new UnsupportedOperationException();
  }
}
