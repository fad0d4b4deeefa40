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
 * The one thread of a {@link SocketDataTransport}. Every key's attachment is its {@link
 * SocketConnection}. Tasks are taken from any thread; all else is the loop's own.
 */
final class SocketLoop implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(SocketLoop.class);

  private final Selector selector;
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final long checkEveryMs;
  private final Thread thread;
  private volatile boolean ending;
  private volatile boolean ended;

  /**
   * @param checkEveryMs how often connections look at their deadlines
   */
  SocketLoop(long checkEveryMs) {
    try {
      selector = Selector.open();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot wait for sockets", e);
    }
    this.checkEveryMs = checkEveryMs;
    thread = new Thread(this, "sluice-client-io-0");
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  Selector selector() {
    return selector;
  }

  /** Runs a task soon; never, if the loop has ended or ends before. */
  void execute(Runnable task) {
    tasks.add(task);
    if (Thread.currentThread() != thread) {
      selector.wakeup();
    }
  }

  @Override
  public void run() {
    long everyNanos = TimeUnit.MILLISECONDS.toNanos(checkEveryMs);
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
      LOG.warn("sockets cannot be waited for any more reason={}", e.toString());
    } finally {
      ended = true;
      endAll();
    }
  }

  private void runTasks() {
    // Those that are there now: a task that adds others does not keep sockets waiting.
    for (int left = tasks.size(); left > 0; left--) {
      Runnable task = tasks.poll();
      if (task == null) {
        return;
      }
      try {
        task.run();
      } catch (RuntimeException e) {
        LOG.warn("a task of the socket loop failed", e);
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
        LOG.warn("cannot close the selector reason={}", e.toString());
      }
    }
    while (!tasks.isEmpty()) {
      runTasks();
    }
  }

  /** Whether tasks given from now on may never run. */
  boolean hasEnded() {
    return ended;
  }

  /** Ends every connection and the thread, within a bounded time. Idempotent. */
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
