package io.sluice.common.tls;

import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.handler.ssl.SslContext;
import io.sluice.common.net.DirectChannel;
import java.io.IOException;
import java.util.Optional;
import java.util.function.LongSupplier;

/** TLS of a client's connections. Immutable. */
public final class ClientTls {
  /** Plain text. */
  public static final ClientTls OFF = plain(Optional.empty());

  private final TlsContexts contexts;
  private final SslContext grpc;
  private final SslContext data;
  private final Optional<String> peerName;
  private final String problem;

  private ClientTls(TlsContexts contexts, Optional<String> peerName, String problem) {
    this.contexts = contexts;
    this.peerName = peerName;
    this.grpc = contexts == null ? null : contexts.grpcClient();
    this.data = contexts == null ? null : contexts.dataClient();
    this.problem = problem;
  }

  /** Reads the files; {@link #problem} describes errors in them. */
  public static ClientTls of(TlsConfig config, LongSupplier nanoTime) {
    try {
      return TlsContexts.of(config, false, nanoTime)
          .map(ClientTls::of)
          .orElseGet(() -> plain(config.peerName()));
    } catch (IOException e) {
      return new ClientTls(null, config.peerName(), e.getMessage());
    }
  }

  /** With shared contexts of the process. */
  public static ClientTls of(TlsContexts contexts) {
    return new ClientTls(contexts, contexts.peerName(), null);
  }

  /**
   * Plain text.
   *
   * @param peerName name in the identities of all peers, if they have one
   */
  public static ClientTls plain(Optional<String> peerName) {
    return new ClientTls(null, peerName, null);
  }

  /** Name of a peer in its certificate. */
  public String peerName(String host) {
    return peerName.orElse(host);
  }

  /** One-line reason why this client cannot connect; empty if there is none. */
  public Optional<String> problem() {
    return Optional.ofNullable(problem);
  }

  /** Starts a gRPC channel to a peer, with TLS or plain text, and never through a proxy. */
  public NettyChannelBuilder channel(String host, int port) {
    NettyChannelBuilder channel = DirectChannel.to(host, port);
    peerName.ifPresent(channel::overrideAuthority);
    return contexts == null ? channel.usePlaintext() : channel.sslContext(grpc);
  }

  /** TLS handler of a new connection; empty for plain text. */
  public Optional<ChannelHandler> handler(Channel channel, String host, int port) {
    return data == null
        ? Optional.empty()
        : Optional.of(data.newHandler(channel.alloc(), peerName(host), port));
  }
}
