package io.sluice.common.tls;

import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.util.Optional;
import java.util.function.LongSupplier;

/** How a client's connections are encrypted, if they are. Immutable. */
public final class ClientTls {
  /** In clear. */
  public static final ClientTls OFF = new ClientTls(null, null);

  private final TlsContexts contexts;
  private final SslContext grpc;
  private final SslContext data;
  private final String problem;

  private ClientTls(TlsContexts contexts, String problem) {
    this.contexts = contexts;
    this.grpc = contexts == null ? null : contexts.grpcClient();
    this.data = contexts == null ? null : contexts.dataClient();
    this.problem = problem;
  }

  /** Reads the files; what is wrong with them is {@link #problem}. */
  public static ClientTls of(TlsConfig config, LongSupplier nanoTime) {
    try {
      return TlsContexts.of(config, false, nanoTime)
          .map(contexts -> new ClientTls(contexts, null))
          .orElse(OFF);
    } catch (IOException e) {
      return new ClientTls(null, e.getMessage());
    }
  }

  /** With contexts that a process has for all its connections. */
  public static ClientTls of(TlsContexts contexts) {
    return new ClientTls(contexts, null);
  }

  /** Why this client cannot connect to anybody, in one line. */
  public Optional<String> problem() {
    return Optional.ofNullable(problem);
  }

  /** Makes a channel encrypted or not. */
  public NettyChannelBuilder secure(NettyChannelBuilder channel) {
    if (contexts == null) {
      return channel.usePlaintext();
    }
    channel.sslContext(grpc);
    contexts.peerName().ifPresent(channel::overrideAuthority);
    return channel;
  }

  /** What goes before the frames of a connection; empty where they are in clear. */
  public Optional<ChannelHandler> handler(Channel channel, String host, int port) {
    return data == null
        ? Optional.empty()
        : Optional.of(data.newHandler(channel.alloc(), contexts.peerName(host), port));
  }
}
