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

/** Sets the limits that every gRPC port has. */
public final class RpcPort {
  /**
   * Calls of one connection at a time. A data connection has one; a driver or tool has a few, and
   * its gRPC keeps more to itself until one has ended.
   */
  static final int MAX_CALLS_PER_CONNECTION = 16;

  /** Headers of a call: a proof has at most 700 bytes of them. */
  private static final int MAX_METADATA_BYTES = 8 << 10;

  /** Calls that a connection may reset, in so many seconds; more end it. */
  private static final int MAX_RESETS = 200;

  private static final int RESETS_SECONDS = 30;

  /**
   * Bytes of a connection that gRPC holds while nobody asks for the next message: outside every
   * budget, so that a thousand paused connections hold 128 MiB. A larger window made pushes over
   * loopback no faster.
   */
  private static final int FLOW_CONTROL_WINDOW = 128 << 10;

  /** Time for TLS and the first words of HTTP/2. */
  private static final int HANDSHAKE_TIMEOUT_SECONDS = 20;

  /** A peer that vanished is noticed after this and the timeout. */
  private static final int KEEP_ALIVE_SECONDS = 60;

  private static final int KEEP_ALIVE_TIMEOUT_SECONDS = 20;

  /** How often peers may ask whether the connection lives. */
  private static final int SHORTEST_PEER_KEEP_ALIVE_SECONDS = 5;

  /** Connections without a call; what a driver or a server repeats comes more often. */
  private static final int MAX_IDLE_MINUTES = 10;

  private RpcPort() {}

  /**
   * Prepares a server.
   *
   * @param listener class of its listening channel
   * @param limit of connections
   * @param bounds of calls
   */
  public static <C extends ServerChannel> void configure(
      NettyServerBuilder server, Class<C> listener, AcceptLimit limit, CallBounds bounds) {
    ChannelFactory<C> limited = limit.before(listener);
    server
        .channelFactory(
            () -> {
              C channel = limited.newChannel();
              channel.pipeline().addLast(new GuardedChildren());
              return channel;
            })
        .addStreamTracerFactory(bounds)
        .maxInboundMessageSize(bounds.largestMessage())
        .maxInboundMetadataSize(MAX_METADATA_BYTES)
        // What a few bytes on the wire become would have no limit of its own.
        .decompressorRegistry(DecompressorRegistry.emptyInstance().with(Codec.Identity.NONE, false))
        .flowControlWindow(FLOW_CONTROL_WINDOW)
        .maxConcurrentCallsPerConnection(MAX_CALLS_PER_CONNECTION)
        .maxRstFramesPerWindow(MAX_RESETS, RESETS_SECONDS)
        .handshakeTimeout(HANDSHAKE_TIMEOUT_SECONDS, TimeUnit.SECONDS)
        .keepAliveTime(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
        .keepAliveTimeout(KEEP_ALIVE_TIMEOUT_SECONDS, TimeUnit.SECONDS)
        .permitKeepAliveTime(SHORTEST_PEER_KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
        .permitKeepAliveWithoutCalls(true)
        .maxConnectionIdle(MAX_IDLE_MINUTES, TimeUnit.MINUTES);
  }

  /**
   * Adds services. Call it last: interceptors that are added later would get malformed requests, as
   * null.
   *
   * @param denials hears of malformed requests
   */
  public static void serve(
      ServerBuilder<?> server, List<? extends BindableService> services, CallDenials denials) {
    server.intercept(new MalformedRequests(denials));
    for (BindableService service : services) {
      server.addService(MalformedRequests.nullIfMalformed(service.bindService()));
    }
  }

  /** Gives each accepted connection its guard. */
  private static final class GuardedChildren extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      if (message instanceof Channel child) {
        child.pipeline().addLast(new GuardOnceThere());
      }
      context.fireChannelRead(message);
    }
  }

  /** gRPC adds its HTTP/2 handler after the handshake; it is there before the first frame. */
  private static final class GuardOnceThere extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      Http2ConnectionHandler http2 = context.pipeline().get(Http2ConnectionHandler.class);
      if (http2 != null) {
        Http2ConnectionDecoder decoder = http2.decoder();
        decoder.frameListener(new DataFrameGuard(decoder.frameListener()));
        context.pipeline().remove(this);
      }
      context.fireChannelRead(message);
    }
  }
}
