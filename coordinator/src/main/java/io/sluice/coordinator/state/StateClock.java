package io.sluice.coordinator.state;

import java.time.Clock;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The clock of the coordinator's state. {@link #nowMs} starts with the wall clock, in milliseconds
 * since 1970, and advances with monotonic time. It never runs backwards, not even after a restart,
 * so that ages of logged changes are correct. {@link #instant} is the wall clock, for times shown
 * to operators. Thread-safe.
 */
public final class StateClock {
  private final Clock clock;
  private final LongSupplier nanoTime;
  private final long startMs;
  private final long startNanos;

  /**
   * @param nanoTime monotonic time, as {@link System#nanoTime}
   * @param newestMs the newest time in the log; 0: none
   */
  public StateClock(Clock clock, LongSupplier nanoTime, long newestMs) {
    this.clock = clock;
    this.nanoTime = nanoTime;
    this.startMs = Math.max(clock.millis(), newestMs);
    this.startNanos = nanoTime.getAsLong();
  }

  /** Milliseconds since 1970; never decreases. */
  public long nowMs() {
    return startMs + TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong() - startNanos);
  }

  /** Monotonic time. */
  long nanos() {
    return nanoTime.getAsLong();
  }

  /** The wall clock. */
  public Instant instant() {
    return clock.instant();
  }
}
