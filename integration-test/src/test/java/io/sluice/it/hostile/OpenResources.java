package io.sluice.it.hostile;

import java.util.ArrayDeque;
import java.util.Deque;

/** Open resources of an attack. Thread-safe; closes all of them, the newest first. */
final class OpenResources implements AutoCloseable {
  // Guarded by this.
  private final Deque<AutoCloseable> open = new ArrayDeque<>();

  /** Adds a resource, which is closed with this object. */
  synchronized <T extends AutoCloseable> T add(T what) {
    open.push(what);
    return what;
  }

  synchronized int size() {
    return open.size();
  }

  @Override
  public void close() throws Exception {
    Deque<AutoCloseable> closing;
    synchronized (this) {
      closing = new ArrayDeque<>(open);
      open.clear();
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
