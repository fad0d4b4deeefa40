package io.sluice.common.tls;

import io.sluice.common.net.DaemonThreads;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Threads for the costly steps of TLS handshakes, so that many new connections do not hold up those
 * that there are. A handshake for which the queue has no place fails, and its connection is closed.
 */
public final class HandshakeThreads {
  private static final int THREADS = 2;

  /** A step takes about a millisecond: half a second of waiting. */
  private static final int MAX_WAITING = 1024;

  private static final long IDLE_SECONDS = 30;

  private HandshakeThreads() {}

  /**
   * Threads that start when they are needed. Owned by the caller, who ends them.
   *
   * @param name of the threads, before their number
   */
  public static ExecutorService create(String name) {
    ThreadPoolExecutor executor =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(MAX_WAITING),
            DaemonThreads.numbered(name));
    executor.allowCoreThreadTimeOut(true);
    return executor;
  }
}
