package io.sluice.server.shortcircuit;

import java.util.concurrent.atomic.LongAdder;

/** What was handed out since the start of the server. Thread-safe. */
public final class ShortCircuitCounters {
  private final LongAdder connections = new LongAdder();
  private final LongAdder files = new LongAdder();
  private final LongAdder absent = new LongAdder();

  void connected() {
    connections.increment();
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

  /** Descriptors of run files that clients were given. */
  public long files() {
    return files.sum();
  }

  /** Files that were asked for and not there. */
  public long absentFiles() {
    return absent.sum();
  }
}
