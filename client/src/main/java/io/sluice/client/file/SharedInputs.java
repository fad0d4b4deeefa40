package io.sluice.client.file;

import java.io.IOException;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Open run files, shared by all reads of a process, because the tasks of a stage read different
 * partitions of the same files. An unused file is closed after a few seconds, because an open file
 * occupies disk space after its server has deleted it. Thread-safe.
 */
final class SharedInputs {
  /** Longer than the time between two tasks of a stage, and short enough for a full disk. */
  private static final long IDLE_MS = 5_000;

  private final ScheduledExecutorService scheduler;
  private final LongSupplier nanoTime;

  // Guarded by this.
  private final Map<Key, Shared> inputs = new HashMap<>();
  private boolean sweeping;
  private boolean closed;

  /** A file in one epoch of its server. */
  record Key(RunFileSource source, NamedRunFile file) {}

  private static final class Shared {
    final CompletableFuture<RunFileInput> input;
    int readers;
    long idleSinceNanos;

    Shared(CompletableFuture<RunFileInput> input) {
      this.input = input;
    }
  }

  SharedInputs(ScheduledExecutorService scheduler, LongSupplier nanoTime) {
    this.scheduler = scheduler;
    this.nanoTime = nanoTime;
  }

  /** Returns a file, and opens it if necessary. The caller releases it with {@link #release}. */
  synchronized CompletableFuture<RunFileInput> acquire(Key key, RunFileOpener opener) {
    if (closed) {
      return CompletableFuture.failedFuture(new IOException("the client is closed"));
    }
    Shared shared = inputs.get(key);
    if (shared == null || shared.input.isCompletedExceptionally()) {
      int readers = shared == null ? 0 : shared.readers;
      shared = new Shared(opener.open(key.source(), key.file().name()));
      shared.readers = readers;
      inputs.put(key, shared);
    }
    shared.readers++;
    return shared.input;
  }

  synchronized void release(Key key) {
    Shared shared = inputs.get(key);
    if (shared == null) {
      // All files were closed since.
      return;
    }
    shared.readers--;
    if (shared.readers == 0) {
      shared.idleSinceNanos = nanoTime.getAsLong();
      sweepLater();
    }
  }

  private void sweepLater() {
    if (sweeping || closed) {
      return;
    }
    try {
      // The sweep has no result.
      var unused = scheduler.schedule(this::sweep, IDLE_MS, TimeUnit.MILLISECONDS);
      sweeping = true;
    } catch (RejectedExecutionException e) {
      // The client is being closed, which closes all files.
      sweeping = false;
    }
  }

  private synchronized void sweep() {
    sweeping = false;
    long now = nanoTime.getAsLong();
    boolean idleLeft = false;
    for (Iterator<Shared> all = inputs.values().iterator(); all.hasNext(); ) {
      Shared shared = all.next();
      if (shared.readers > 0) {
        continue;
      }
      if (now - shared.idleSinceNanos >= TimeUnit.MILLISECONDS.toNanos(IDLE_MS)) {
        all.remove();
        close(shared);
      } else {
        idleLeft = true;
      }
    }
    if (idleLeft) {
      sweepLater();
    }
  }

  private static void close(Shared shared) {
    // The file is closed once it is open.
    CompletableFuture<Void> unused = shared.input.thenAccept(RunFileInput::close);
  }

  /** Closes all files. Idempotent. */
  synchronized void close() {
    closed = true;
    inputs.values().forEach(SharedInputs::close);
    inputs.clear();
  }
}
