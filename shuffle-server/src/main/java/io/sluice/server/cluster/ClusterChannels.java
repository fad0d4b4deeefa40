package io.sluice.server.cluster;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.sluice.common.auth.ClusterSecurity;
import io.sluice.common.config.HostPort;

/** How a server reaches other processes of its cluster. */
public final class ClusterChannels {
  private ClusterChannels() {}

  /** Calls prove the cluster, where coordinators ask for it. Owned by the caller. */
  public static ManagedChannel toCoordinator(HostPort coordinator, ClusterSecurity security) {
    return secured(
            NettyChannelBuilder.forTarget("dns:///" + coordinator.toString())
                .intercept(security.proofs()),
            security)
        .build();
  }

  /** Encrypted as the cluster is, without a proof. Takes and returns the builder. */
  public static NettyChannelBuilder secured(NettyChannelBuilder channel, ClusterSecurity security) {
    if (security.tls().isEmpty()) {
      return channel.usePlaintext();
    }
    security.tls().get().peerName().ifPresent(channel::overrideAuthority);
    return channel.sslContext(security.tls().get().grpcClient());
  }
}
