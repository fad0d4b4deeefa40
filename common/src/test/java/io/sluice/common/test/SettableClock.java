package io.sluice.common.test;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicLong;

/** A wall clock that only a test advances. Thread-safe. */
public final class SettableClock extends Clock {
  private final AtomicLong nowMs = new AtomicLong(1_795_000_000_000L);

  /** Advances the time; a negative number sets it back. */
  public void pass(long ms) {
    nowMs.addAndGet(ms);
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  @Override
  public Clock withZone(ZoneId zone) {
    return this;
  }

  @Override
  public long millis() {
    return nowMs.get();
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(nowMs.get());
  }
}
