package io.sluice.server.cluster;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.sluice.common.auth.ClusterSecurity;
import io.sluice.common.config.HostPort;

/** How a server reaches other processes of its cluster. */
public final class ClusterChannels {
  private ClusterChannels() {}

  /**
   * Encrypted as the cluster is; calls prove the cluster where coordinators ask for it. Owned by
   * the caller.
   */
  public static ManagedChannel toCoordinator(HostPort coordinator, ClusterSecurity security) {
    NettyChannelBuilder channel =
        NettyChannelBuilder.forTarget("dns:///" + coordinator.toString())
            .intercept(security.proofs());
    if (security.tls().isEmpty()) {
      return channel.usePlaintext().build();
    }
    security.tls().get().peerName().ifPresent(channel::overrideAuthority);
    return channel.sslContext(security.tls().get().grpcClient()).build();
  }
}
