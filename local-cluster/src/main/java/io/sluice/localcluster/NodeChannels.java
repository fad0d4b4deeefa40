package io.sluice.localcluster;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;

/** Opens gRPC channels to the processes of a cluster. */
@FunctionalInterface
public interface NodeChannels {
  /** Channels to processes without authentication and TLS. */
  NodeChannels PLAIN =
      (host, port) ->
          NettyChannelBuilder.forAddress(host, port)
              .proxyDetector(target -> null)
              .usePlaintext()
              .build();

  /** Opens a channel, which connects at the first call. */
  ManagedChannel open(String host, int port);
}
