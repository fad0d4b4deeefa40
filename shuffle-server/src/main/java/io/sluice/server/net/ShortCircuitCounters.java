package io.sluice.server.net;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** What was handed out since the start of the server. Thread-safe. */
public final class ShortCircuitCounters {
  private final LongAdder connections = new LongAdder();
  private final LongAdder files = new LongAdder();
  private final LongAdder absent = new LongAdder();
  private final LongAdder denied = new LongAdder();
  private final AtomicInteger open = new AtomicInteger();

  void connected() {
    connections.increment();
    open.incrementAndGet();
  }

  void disconnected() {
    open.decrementAndGet();
  }

  void denied() {
    denied.increment();
  }

  void handedOut() {
    files.increment();
  }

  void absent() {
    absent.increment();
  }

  /** Connections that were accepted. */
  public long connections() {
    return connections.sum();
  }

  /** Connections that are open now. */
  public int openConnections() {
    return open.get();
  }

  /**
   * Connections that were closed because there were too many, or for what they asked or did not.
   */
  public long deniedConnections() {
    return denied.sum();
  }

  /** Descriptors of run files that clients were given. */
  public long files() {
    return files.sum();
  }

  /** Files that were asked for and not there. */
  public long absentFiles() {
    return absent.sum();
  }
}
