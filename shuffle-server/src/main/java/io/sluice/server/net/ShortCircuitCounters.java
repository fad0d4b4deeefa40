package io.sluice.server.net;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Counters of short-circuit reads since the server started. Thread-safe. */
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

  void fileSent() {
    files.increment();
  }

  void fileAbsent() {
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
   * Connections that were closed because of a connection limit, an invalid or denied request, or a
   * missing first request.
   */
  public long deniedConnections() {
    return denied.sum();
  }

  /** Descriptors of run files that were sent to clients. */
  public long files() {
    return files.sum();
  }

  /** Requested files that did not exist. */
  public long absentFiles() {
    return absent.sum();
  }
}
