package io.sluice.transport.server;

import io.sluice.common.net.KeyedCounts;
import io.sluice.common.net.PeerConnections;
import java.net.SocketAddress;
import java.util.EnumMap;
import java.util.Map;
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
  private final Map<Denial, LongAdder> denied = new EnumMap<>(Denial.class);
  private final KeyedCounts peers = new KeyedCounts();
  private final KeyedCounts applications = new KeyedCounts();
  private final Denials denials;
  private final LongAdder pushedBytes = new LongAdder();
  private final LongAdder fetchedBytes = new LongAdder();

  /** Nobody is told who was turned away. */
  public TransportCounters() {
    this((peer, application, reason) -> {});
  }

  /**
   * @param denials told who was turned away
   */
  public TransportCounters(Denials denials) {
    this.denials = denials;
    for (Denial why : Denial.values()) {
      denied.put(why, new LongAdder());
    }
  }

  /** Hears who was turned away, on any thread. Must not block. */
  @FunctionalInterface
  public interface Denials {
    /**
     * @param application that was asked for, or empty
     */
    void denied(String peer, String application, String reason);
  }

  /** Why a connection was turned away. Names are label values of a metric. */
  public enum Denial {
    /** Too many connections. */
    TOTAL,
    /** Too many from its address. */
    PEER,
    /** Too many of its application. */
    APPLICATION,
    /** It could not prove what it asked for. */
    PROOF
  }

  /**
   * Takes a place for a connection; given back by {@link #connectionClosed}.
   *
   * @return why there is none, in words; null if there was one
   */
  String connectionOpened(DataTransportConfig limits, SocketAddress peer) {
    int open = openConnections.get();
    while (open < limits.maxConnections()) {
      if (openConnections.compareAndSet(open, open + 1)) {
        if (peers.add(PeerConnections.address(peer), limits.maxConnectionsPerPeer())) {
          acceptedConnections.increment();
          return null;
        }
        openConnections.decrementAndGet();
        return refused(
            Denial.PEER,
            peer,
            "too many connections from "
                + PeerConnections.address(peer)
                + ", limit "
                + limits.maxConnectionsPerPeer());
      }
      open = openConnections.get();
    }
    return refused(Denial.TOTAL, peer, "too many connections, limit " + limits.maxConnections());
  }

  private String refused(Denial why, SocketAddress peer, String reason) {
    refusedConnections.increment();
    denied(why, String.valueOf(peer), "", reason);
    return reason;
  }

  void connectionClosed(SocketAddress peer) {
    peers.remove(PeerConnections.address(peer));
    openConnections.decrementAndGet();
  }

  /**
   * Takes a place for a connection of an application; given back by {@link #applicationClosed}.
   *
   * @return false if there is none
   */
  boolean applicationOpened(DataTransportConfig limits, String application) {
    return applications.add(application, limits.maxConnectionsPerApplication());
  }

  void applicationClosed(String application) {
    applications.remove(application);
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

  /** A connection is turned away. */
  void denied(Denial why, String peer, String application, String reason) {
    denied.get(why).increment();
    denials.denied(peer, application, reason);
  }

  /** Connections that were turned away for a reason. */
  public long denied(Denial why) {
    return denied.get(why).sum();
  }

  /** Connections that could not prove what they asked for. */
  public long denials() {
    return denied(Denial.PROOF);
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
