package io.sluice.common.net;

import io.sluice.common.config.HostText;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts and limits the connections of one port, in total and per client address. The addresses of
 * one IPv6 network with a 64-bit prefix count as one address, because one machine can use all of
 * them. Thread-safe.
 */
public final class PeerConnections {
  /** Key of peers without an Internet address, such as the in-process transport of a test. */
  private static final String OTHER = "other";

  /** Length of the prefix of an IPv6 network. */
  private static final int NETWORK_BYTES = 8;

  private final int max;
  private final int maxPerPeer;
  private final String maxKey;
  private final String maxPerPeerKey;
  private final KeyedCounts peers = new KeyedCounts();
  private final AtomicInteger open = new AtomicInteger();
  private final LongAdder refused = new LongAdder();
  private final LongAdder refusedPeers = new LongAdder();

  /**
   * @param max maximum number of open connections
   * @param maxPerPeer maximum number of open connections from one address
   * @param maxKey configuration key of {@code max}, for messages
   * @param maxPerPeerKey configuration key of {@code maxPerPeer}, for messages
   */
  public PeerConnections(int max, int maxPerPeer, String maxKey, String maxPerPeerKey) {
    this.max = max;
    this.maxPerPeer = maxPerPeer;
    this.maxKey = maxKey;
    this.maxPerPeerKey = maxPerPeerKey;
  }

  /**
   * Counts a new connection, until {@link #closed}.
   *
   * @return the reason for refusing the connection; null if it is accepted
   */
  public String open(SocketAddress peer) {
    if (open.incrementAndGet() > max) {
      open.decrementAndGet();
      refused.increment();
      return LimitReached.ofPort(max, maxKey);
    }
    if (!peers.add(address(peer), maxPerPeer)) {
      open.decrementAndGet();
      refusedPeers.increment();
      return LimitReached.of("from " + address(peer), maxPerPeer, maxPerPeerKey);
    }
    return null;
  }

  /** An accepted connection has ended. */
  public void closed(SocketAddress peer) {
    peers.remove(address(peer));
    open.decrementAndGet();
  }

  /**
   * The address that limits count: an IPv4 address, also of an IPv4-mapped IPv6 address, or the /64
   * network of an IPv6 address. The loopback address is no network.
   */
  public static String address(SocketAddress peer) {
    InetAddress address = peer instanceof InetSocketAddress inet ? inet.getAddress() : null;
    if (address == null) {
      return OTHER;
    }
    String text = HostText.of(address);
    if (text.indexOf(':') < 0 || address.isLoopbackAddress()) {
      return text;
    }
    byte[] network = address.getAddress();
    Arrays.fill(network, NETWORK_BYTES, network.length, (byte) 0);
    return HostText.of(network) + "/64";
  }

  /** Address and port, for logs; an IPv6 address in brackets. */
  public static String text(SocketAddress peer) {
    return peer instanceof InetSocketAddress inet && inet.getAddress() != null
        ? HostText.withPort(HostText.of(inet.getAddress()), inet.getPort())
        : String.valueOf(peer);
  }

  /** Number of open connections. */
  public int open() {
    return open.get();
  }

  /** Number of connections refused by the limit of the port. */
  public long refused() {
    return refused.sum();
  }

  /** Number of connections refused by the limit per address. */
  public long refusedPeers() {
    return refusedPeers.sum();
  }
}
