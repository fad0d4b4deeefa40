package io.sluice.common.tls;

import io.sluice.common.net.DaemonThreads;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Threads for the expensive steps of TLS handshakes, so that many new connections do not delay
 * existing ones. If the queue is full, the handshake fails and its connection is closed.
 */
public final class HandshakeThreads {
  private static final int THREADS = 2;

  /** A step takes about 1 ms: at most about half a second in the queue. */
  private static final int MAX_WAITING = 1024;

  private static final long IDLE_SECONDS = 30;

  private HandshakeThreads() {}

  /**
   * Creates threads on demand. The caller owns the executor and shuts it down.
   *
   * @param name prefix of thread names, followed by a number
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
