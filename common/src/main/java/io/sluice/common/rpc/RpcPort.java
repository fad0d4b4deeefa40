package io.sluice.common.rpc;

import io.grpc.BindableService;
import io.grpc.Codec;
import io.grpc.DecompressorRegistry;
import io.grpc.ServerBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ServerChannel;
import io.netty.handler.codec.http2.Http2ConnectionDecoder;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.sluice.common.auth.CallDenials;
import io.sluice.common.net.AcceptLimit;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Configures the limits of every gRPC port. */
public final class RpcPort {
  /**
   * Maximum number of concurrent calls of one connection. A data connection has one; a driver or
   * tool has a few, and its gRPC client queues more until a call has ended.
   */
  static final int MAX_CALLS_PER_CONNECTION = 16;

  /** Maximum length of the headers of a call; a proof has at most 700 bytes. */
  private static final int MAX_METADATA_BYTES = 8 << 10;

  /**
   * Maximum number of stream resets in {@link #RESETS_SECONDS}; the connection is closed after
   * more.
   */
  private static final int MAX_RESETS = 200;

  private static final int RESETS_SECONDS = 30;

  /**
   * Bytes of one connection that gRPC buffers while the service requests no message. They are
   * outside the memory budget: a thousand paused connections use 64 MiB. A larger window made
   * pushes over loopback no faster.
   */
  private static final int FLOW_CONTROL_WINDOW = 64 << 10;

  /** Timeout of the TLS handshake and the HTTP/2 preface. */
  private static final int HANDSHAKE_TIMEOUT_SECONDS = 20;

  /** A dead peer is detected after this time plus the timeout. */
  private static final int KEEP_ALIVE_SECONDS = 60;

  private static final int KEEP_ALIVE_TIMEOUT_SECONDS = 20;

  /** Minimum interval of keep-alive pings from peers. */
  private static final int MIN_PEER_KEEP_ALIVE_SECONDS = 5;

  /** Connections without a call for this time are closed; drivers and servers call more often. */
  private static final int MAX_IDLE_MINUTES = 10;

  private RpcPort() {}

  /**
   * Configures a server.
   *
   * @param listener class of its listening channel
   * @param limit limit of connections
   * @param bounds limits of calls
   */
  public static <C extends ServerChannel> void configure(
      NettyServerBuilder server, Class<C> listener, AcceptLimit limit, CallBounds bounds) {
    ChannelFactory<C> limited = limit.before(listener);
    server
        .channelFactory(
            () -> {
              C channel = limited.newChannel();
              channel.pipeline().addLast(new GuardedConnections(bounds));
              return channel;
            })
        .addStreamTracerFactory(bounds)
        .maxInboundMessageSize(bounds.largestMessage())
        .maxInboundMetadataSize(MAX_METADATA_BYTES)
        // Without this, decompressed messages would have no size limit.
        .decompressorRegistry(DecompressorRegistry.emptyInstance().with(Codec.Identity.NONE, false))
        .flowControlWindow(FLOW_CONTROL_WINDOW)
        .maxConcurrentCallsPerConnection(MAX_CALLS_PER_CONNECTION)
        .maxRstFramesPerWindow(MAX_RESETS, RESETS_SECONDS)
        .handshakeTimeout(HANDSHAKE_TIMEOUT_SECONDS, TimeUnit.SECONDS)
        .keepAliveTime(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
        .keepAliveTimeout(KEEP_ALIVE_TIMEOUT_SECONDS, TimeUnit.SECONDS)
        .permitKeepAliveTime(MIN_PEER_KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
        .permitKeepAliveWithoutCalls(true)
        .maxConnectionIdle(MAX_IDLE_MINUTES, TimeUnit.MINUTES);
  }

  /**
   * Adds services. Call this method last: interceptors that are added later receive malformed
   * requests as null.
   *
   * @param denials receives malformed requests
   */
  public static void serve(
      ServerBuilder<?> server, List<? extends BindableService> services, CallDenials denials) {
    server.intercept(new MalformedRequests(denials));
    for (BindableService service : services) {
      server.addService(MalformedRequests.nullIfMalformed(service.bindService()));
    }
  }

  /** Adds a {@link DataFrameGuard} to each accepted connection. */
  private static final class GuardedConnections extends ChannelInboundHandlerAdapter {
    private final CallBounds bounds;

    GuardedConnections(CallBounds bounds) {
      this.bounds = bounds;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      if (message instanceof Channel child) {
        child.pipeline().addLast(new GuardAfterHandshake(bounds));
      }
      context.fireChannelRead(message);
    }
  }

  /** Adds the guard at the first frame: gRPC adds its HTTP/2 handler after the handshake. */
  private static final class GuardAfterHandshake extends ChannelInboundHandlerAdapter {
    private final CallBounds bounds;

    GuardAfterHandshake(CallBounds bounds) {
      this.bounds = bounds;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      Http2ConnectionHandler http2 = context.pipeline().get(Http2ConnectionHandler.class);
      if (http2 != null) {
        Http2ConnectionDecoder decoder = http2.decoder();
        decoder.frameListener(
            new StreamWindows(
                new DataFrameGuard(decoder.frameListener()),
                bounds,
                http2.connection(),
                decoder.flowController()));
        context.pipeline().remove(this);
      }
      context.fireChannelRead(message);
    }
  }
}
