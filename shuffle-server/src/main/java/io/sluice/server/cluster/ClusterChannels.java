package io.sluice.server.cluster;

import io.grpc.ManagedChannel;
import io.sluice.common.auth.ClusterSecurity;
import io.sluice.common.auth.ProcessRole;
import io.sluice.common.config.HostPort;

/** Creates gRPC channels to coordinators. */
public final class ClusterChannels {
  private ClusterChannels() {}

  /**
   * Creates a channel with the TLS settings of the cluster, and with credentials if coordinators
   * require them. The caller closes it.
   */
  public static ManagedChannel toCoordinator(HostPort coordinator, ClusterSecurity security) {
    return security
        .clientTls()
        .channel(coordinator.host(), coordinator.port())
        .intercept(security.proofs(ProcessRole.COORDINATOR))
        .build();
  }
}
