package io.sluice.common.net;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Creates daemon threads. Thread-safe. */
public final class DaemonThreads {
  private DaemonThreads() {}

  /** Threads of one name, for a single-threaded executor. */
  public static ThreadFactory named(String name) {
    return task -> daemon(task, name);
  }

  /** Threads {@code name-0}, {@code name-1} and so on. */
  public static ThreadFactory numbered(String name) {
    AtomicInteger number = new AtomicInteger();
    return task -> daemon(task, name + "-" + number.getAndIncrement());
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }
}
