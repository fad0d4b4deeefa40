package io.sluice.transport.server;

import io.sluice.common.net.KeyedCounts;
import io.sluice.common.net.LimitReached;
import io.sluice.common.net.PeerConnections;
import java.net.SocketAddress;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Counters of the data connections of a server, for both transports together. Thread-safe. */
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

  /** Without a listener for denials. */
  public TransportCounters() {
    this((why, peer, application, reason) -> {});
  }

  /**
   * @param denials receives refused connections
   */
  public TransportCounters(Denials denials) {
    this.denials = denials;
    for (Denial why : Denial.values()) {
      denied.put(why, new LongAdder());
    }
  }

  /** Receives refused connections, on any thread. Must not block. */
  @FunctionalInterface
  public interface Denials {
    /**
     * @param application requested application, or empty
     */
    void denied(Denial why, String peer, String application, String reason);
  }

  /** Reason for refusing a connection. Names are label values of a metric. */
  public enum Denial {
    /** The limit of connections is reached. */
    TOTAL,
    /** The limit of connections from one address is reached. */
    PEER,
    /** The limit of connections of one application is reached. */
    APPLICATION,
    /** Authentication failed. */
    PROOF
  }

  /**
   * Counts a new connection, until {@link #connectionClosed}.
   *
   * @return reason for refusing the connection; null if it is accepted
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
            LimitReached.of(
                "from " + PeerConnections.address(peer),
                limits.maxConnectionsPerPeer(),
                DataTransportConfig.MAX_CONNECTIONS_PER_PEER.name()));
      }
      open = openConnections.get();
    }
    return refused(
        Denial.TOTAL,
        peer,
        LimitReached.ofPort(limits.maxConnections(), DataTransportConfig.MAX_CONNECTIONS.name()));
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
   * Counts a connection of an application, until {@link #applicationClosed}.
   *
   * @return false if the limit is reached
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

  /** Counts and reports a refused connection. */
  void denied(Denial why, String peer, String application, String reason) {
    denied.get(why).increment();
    denials.denied(why, peer, application, reason);
  }

  /** Number of connections refused for a reason. */
  public long denied(Denial why) {
    return denied.get(why).sum();
  }

  /** Number of connections whose authentication failed. */
  public long denials() {
    return denied(Denial.PROOF);
  }

  void pushed(int bytes) {
    pushedBytes.add(bytes);
  }

  void fetched(int bytes) {
    fetchedBytes.add(bytes);
  }

  /** Number of open connections. */
  public int openConnections() {
    return openConnections.get();
  }

  /** Number of connections that are currently not read because of missing memory. */
  public int pausedConnections() {
    return pausedConnections.get();
  }

  public long acceptedConnections() {
    return acceptedConnections.sum();
  }

  /** Number of connections refused by a limit per port or address. */
  public long refusedConnections() {
    return refusedConnections.sum();
  }

  /** Number of times that a connection was paused because of missing memory. */
  public long pauses() {
    return pauses.sum();
  }

  /** Number of connections closed because of protocol errors. */
  public long protocolErrors() {
    return protocolErrors.sum();
  }

  /** Number of connections closed by a timeout. */
  public long timeouts() {
    return timeouts.sum();
  }

  /** Bytes of completely received bodies. */
  public long pushedBytes() {
    return pushedBytes.sum();
  }

  /** Bytes of bodies queued for sending. */
  public long fetchedBytes() {
    return fetchedBytes.sum();
  }
}
