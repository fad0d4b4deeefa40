package io.sluice.common.net;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** How many connections a port has, together and from one address. Thread-safe. */
public final class PeerConnections {
  /** Whoever is no Internet address, such as a test's own transport. */
  private static final String OTHER = "other";

  private final int max;
  private final int maxPerPeer;
  private final KeyedCounts peers = new KeyedCounts();
  private final AtomicInteger open = new AtomicInteger();
  private final LongAdder refused = new LongAdder();
  private final LongAdder refusedPeers = new LongAdder();

  /**
   * @param max at the same time
   * @param maxPerPeer at the same time from one address
   */
  public PeerConnections(int max, int maxPerPeer) {
    this.max = max;
    this.maxPerPeer = maxPerPeer;
  }

  /**
   * Takes a place, given back by {@link #closed}.
   *
   * @return why there is none, in words; null if there was one
   */
  public String open(SocketAddress peer) {
    if (open.incrementAndGet() > max) {
      open.decrementAndGet();
      refused.increment();
      return "too many connections, limit " + max;
    }
    if (!peers.add(address(peer), maxPerPeer)) {
      open.decrementAndGet();
      refusedPeers.increment();
      return "too many connections from " + address(peer) + ", limit " + maxPerPeer;
    }
    return null;
  }

  /** A connection that had a place has ended. */
  public void closed(SocketAddress peer) {
    peers.remove(address(peer));
    open.decrementAndGet();
  }

  /** The address without the port. */
  public static String address(SocketAddress peer) {
    InetAddress address = peer instanceof InetSocketAddress inet ? inet.getAddress() : null;
    return address == null ? OTHER : address.getHostAddress();
  }

  /** Address and port, for logs. */
  public static String text(SocketAddress peer) {
    return peer instanceof InetSocketAddress inet && inet.getAddress() != null
        ? inet.getAddress().getHostAddress() + ":" + inet.getPort()
        : String.valueOf(peer);
  }

  /** Connections that have a place. */
  public int open() {
    return open.get();
  }

  /** Connections turned away because there were too many in all. */
  public long refused() {
    return refused.sum();
  }

  /** Connections turned away because there were too many from their address. */
  public long refusedPeers() {
    return refusedPeers.sum();
  }
}
