package io.sluice.transport.client;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The I/O thread of a {@link SocketDataTransport}. Every key's attachment is its {@link
 * SocketConnection}. Any thread may submit tasks; all other state is confined to the loop's thread.
 */
final class SocketLoop implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(SocketLoop.class);

  private final Selector selector;
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final long checkIntervalMs;
  private final Thread thread;
  private volatile boolean ending;
  private volatile boolean ended;

  /**
   * @param checkIntervalMs interval of deadline checks of the connections
   */
  SocketLoop(long checkIntervalMs) {
    try {
      selector = Selector.open();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot open a selector", e);
    }
    this.checkIntervalMs = checkIntervalMs;
    thread = new Thread(this, "sluice-client-io-0");
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  Selector selector() {
    return selector;
  }

  /** Runs a task asynchronously; the task may never run if the loop ends. */
  void execute(Runnable task) {
    tasks.add(task);
    if (Thread.currentThread() != thread) {
      selector.wakeup();
    }
  }

  @Override
  public void run() {
    long everyNanos = TimeUnit.MILLISECONDS.toNanos(checkIntervalMs);
    long checkedNanos = System.nanoTime();
    try {
      while (!ending) {
        if (tasks.isEmpty()) {
          long leftNanos = everyNanos - (System.nanoTime() - checkedNanos);
          selector.select(Math.max(1, TimeUnit.NANOSECONDS.toMillis(leftNanos)));
        } else {
          selector.selectNow();
        }
        runTasks();
        serveReady();
        if (System.nanoTime() - checkedNanos >= everyNanos) {
          checkedNanos = System.nanoTime();
          checkDeadlines();
        }
      }
    } catch (IOException | ClosedSelectorException e) {
      LOG.warn("I/O event loop failed, closing all connections reason=\"{}\"", e.toString());
    } finally {
      ended = true;
      endAll();
    }
  }

  private void runTasks() {
    // Only the tasks queued now, so that tasks that add tasks do not delay the sockets.
    for (int left = tasks.size(); left > 0; left--) {
      Runnable task = tasks.poll();
      if (task == null) {
        return;
      }
      try {
        task.run();
      } catch (RuntimeException e) {
        LOG.warn("internal error: a task of the I/O event loop failed", e);
      }
    }
  }

  private void serveReady() {
    for (Iterator<SelectionKey> i = selector.selectedKeys().iterator(); i.hasNext(); ) {
      SelectionKey key = i.next();
      i.remove();
      ((SocketConnection) key.attachment()).ready();
    }
  }

  private void checkDeadlines() {
    for (SelectionKey key : selector.keys()) {
      ((SocketConnection) key.attachment()).checkDeadlines();
    }
  }

  private void endAll() {
    runTasks();
    if (selector.isOpen()) {
      for (SelectionKey key : selector.keys()) {
        ((SocketConnection) key.attachment()).close();
      }
      try {
        selector.close();
      } catch (IOException e) {
        LOG.warn("cannot close the selector reason=\"{}\"", e.toString());
      }
    }
    while (!tasks.isEmpty()) {
      runTasks();
    }
  }

  /** Whether later tasks may never run. */
  boolean hasEnded() {
    return ended;
  }

  /** Closes every connection and stops the thread, within a bounded time. Idempotent. */
  void close(long timeoutMs) {
    ending = true;
    selector.wakeup();
    if (Thread.currentThread() == thread) {
      return;
    }
    try {
      thread.join(timeoutMs);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
