package io.sluice.server.transport;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** What happened on the data connections of a server, both transports together. Thread-safe. */
public final class TransportCounters {
  private final AtomicInteger openConnections = new AtomicInteger();
  private final AtomicInteger pausedConnections = new AtomicInteger();
  private final LongAdder acceptedConnections = new LongAdder();
  private final LongAdder refusedConnections = new LongAdder();
  private final LongAdder pauses = new LongAdder();
  private final LongAdder protocolErrors = new LongAdder();
  private final LongAdder timeouts = new LongAdder();
  private final LongAdder denials = new LongAdder();
  private final LongAdder pushedBytes = new LongAdder();
  private final LongAdder fetchedBytes = new LongAdder();

  /**
   * Takes a place among {@code max} connections; given back by {@link #connectionClosed}.
   *
   * @return false if there is none
   */
  boolean connectionOpened(int max) {
    int open = openConnections.get();
    while (open < max) {
      if (openConnections.compareAndSet(open, open + 1)) {
        acceptedConnections.increment();
        return true;
      }
      open = openConnections.get();
    }
    refusedConnections.increment();
    return false;
  }

  void connectionClosed() {
    openConnections.decrementAndGet();
  }

  void paused() {
    pauses.increment();
    pausedConnections.incrementAndGet();
  }

  void resumed() {
    pausedConnections.decrementAndGet();
  }

  void protocolError() {
    protocolErrors.increment();
  }

  void timedOut() {
    timeouts.increment();
  }

  void denied() {
    denials.increment();
  }

  /** Connections that could not prove what they asked for. */
  public long denials() {
    return denials.sum();
  }

  void pushed(int bytes) {
    pushedBytes.add(bytes);
  }

  void fetched(int bytes) {
    fetchedBytes.add(bytes);
  }

  /** Connections that are open now. */
  public int openConnections() {
    return openConnections.get();
  }

  /** Connections that are not read now because there is no memory for what they bring. */
  public int pausedConnections() {
    return pausedConnections.get();
  }

  public long acceptedConnections() {
    return acceptedConnections.sum();
  }

  /** Connections turned away because there were too many. */
  public long refusedConnections() {
    return refusedConnections.sum();
  }

  /** How often a connection was paused for want of memory. */
  public long pauses() {
    return pauses.sum();
  }

  /** Connections ended because what they sent was not the protocol. */
  public long protocolErrors() {
    return protocolErrors.sum();
  }

  /** Connections ended because their peer stayed silent. */
  public long timeouts() {
    return timeouts.sum();
  }

  /** Bytes of bodies received whole. */
  public long pushedBytes() {
    return pushedBytes.sum();
  }

  /** Bytes of bodies handed out for sending. */
  public long fetchedBytes() {
    return fetchedBytes.sum();
  }
}
