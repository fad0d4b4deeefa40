package io.sluice.server.service;

import io.sluice.common.error.SluiceException;
import io.sluice.proto.Open;
import io.sluice.server.log.OpenWait;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.ShuffleLog;
import io.sluice.server.log.ShuffleStore;
import io.sluice.transport.protocol.AttemptSets;
import io.sluice.transport.server.RequestMemory;
import java.io.IOException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.roaringbitmap.longlong.Roaring64NavigableMap;

/**
 * Open requests that wait for map attempts. Their number is limited, and each application may use
 * at most half of its share of the request memory. A wait ends by an append, by removal of the
 * shuffle or by its timeout. Thread-safe.
 */
final class OpenWaits {
  /** Heap of a wait, and heap per partition of a wait in the tables of its shuffle. */
  private static final int WAIT_HEAP_BYTES = 1_024;

  private static final int PARTITION_HEAP_BYTES = 160;

  private final ServiceConfig config;
  private final RequestMemory memory;
  private final ShuffleStore store;
  private final ScheduledExecutorService scheduler;
  private final AtomicInteger count = new AtomicInteger();

  OpenWaits(
      ServiceConfig config,
      RequestMemory memory,
      ShuffleStore store,
      ScheduledExecutorService scheduler) {
    this.config = config;
    this.memory = memory;
    this.store = store;
    this.scheduler = scheduler;
  }

  /** Validates the wait fields of an Open, except for the encoding of its attempts. */
  static void check(Open open) throws SluiceException {
    if (open.getMaxWaitMs() < 0) {
      throw Identifiers.badRequest("max_wait_ms " + open.getMaxWaitMs() + " is negative");
    }
    if (!open.getWantedAttempts().isEmpty()
        && (open.getWantedPermille() < 1 || open.getWantedPermille() > 1000)) {
      throw Identifiers.badRequest(
          "wanted_permille " + open.getWantedPermille() + ", expected 1 to 1000");
    }
  }

  /**
   * Begins a wait, if the Open requests it, attempts are missing and the limits allow it.
   *
   * @param partitions partitions of the Open
   * @param onEnd runs once, on the thread that ends the wait; must only schedule a task
   * @return false if the Open must be answered immediately; {@code onEnd} is not called then
   */
  boolean begin(ShuffleKey key, Open open, int[] partitions, Runnable onEnd)
      throws SluiceException {
    if (open.getMaxWaitMs() == 0
        || open.getWantedAttempts().isEmpty()
        || count.get() >= config.maxOpenWaits()) {
      return false;
    }
    long bytes =
        WAIT_HEAP_BYTES
            + (long) PARTITION_HEAP_BYTES * partitions.length
            + AttemptSets.decodedBytes(open.getWantedAttempts());
    // Reserved before the attempts are decoded.
    if (!memory.tryReserveLongTerm(key.application(), bytes)) {
      return false;
    }
    count.incrementAndGet();
    Runnable ended =
        () -> {
          count.decrementAndGet();
          memory.release(key.application(), bytes);
          store.dropIfUnused(key);
        };
    boolean waits = false;
    try {
      waits = begin(key, open, partitions, ended, onEnd);
    } finally {
      if (!waits) {
        ended.run();
      }
    }
    return waits;
  }

  private boolean begin(ShuffleKey key, Open open, int[] partitions, Runnable ended, Runnable onEnd)
      throws SluiceException {
    Roaring64NavigableMap wanted;
    try {
      wanted = AttemptSets.decode(open.getWantedAttempts());
    } catch (IOException e) {
      throw Identifiers.badRequest("wanted_attempts: " + e.getMessage());
    }
    if (wanted.isEmpty()) {
      return false;
    }
    AtomicReference<Future<?>> timeout = new AtomicReference<>();
    Runnable finish =
        () -> {
          ended.run();
          Future<?> pending = timeout.get();
          if (pending != null) {
            pending.cancel(false);
          }
          onEnd.run();
        };
    ShuffleLog log = store.findOrCreate(key);
    OpenWait wait = new OpenWait(partitions, wanted, open.getWantedPermille(), finish);
    if (!log.addWait(wait)) {
      return false;
    }
    int waitMs = Math.min(open.getMaxWaitMs(), config.maxOpenWaitMs());
    try {
      timeout.set(
          scheduler.schedule(
              () -> {
                if (log.cancelWait(wait)) {
                  finish.run();
                }
              },
              waitMs,
              TimeUnit.MILLISECONDS));
    } catch (RejectedExecutionException e) {
      // The server is stopping, so that no timeout would end the wait.
      if (log.cancelWait(wait)) {
        finish.run();
      }
    }
    return true;
  }
}
