package io.sluice.it.hostile;

import java.util.ArrayDeque;
import java.util.Deque;

/** What an attack holds open. Thread-safe; closes the newest first, and all of it. */
final class Held implements AutoCloseable {
  // Guarded by this.
  private final Deque<AutoCloseable> held = new ArrayDeque<>();

  /** Closed with this. */
  synchronized <T extends AutoCloseable> T add(T what) {
    held.push(what);
    return what;
  }

  synchronized int size() {
    return held.size();
  }

  @Override
  public void close() throws Exception {
    Deque<AutoCloseable> closing;
    synchronized (this) {
      closing = new ArrayDeque<>(held);
      held.clear();
    }
    Exception failure = null;
    for (AutoCloseable what : closing) {
      try {
        what.close();
      } catch (Exception e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
