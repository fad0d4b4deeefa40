package io.sluice.server.threads;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** Waits on the lock of whoever owns it, for a time. Thread-safe. */
public final class LockWait {
  private final Object lock;
  private final LongSupplier nanoTime;

  public LockWait(Object lock, LongSupplier nanoTime) {
    this.lock = lock;
    this.nanoTime = nanoTime;
  }

  /**
   * Waits until something is so or a time has passed. Call with the lock held; whoever changes what
   * is waited for notifies all.
   *
   * @param isSo asked with the lock held
   * @return false if the thread was interrupted; its flag stays set
   */
  public boolean await(long nanos, BooleanSupplier isSo) {
    long end = nanoTime.getAsLong() + nanos;
    long left = nanos;
    try {
      while (!isSo.getAsBoolean() && left > 0) {
        TimeUnit.NANOSECONDS.timedWait(lock, left);
        left = end - nanoTime.getAsLong();
      }
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
