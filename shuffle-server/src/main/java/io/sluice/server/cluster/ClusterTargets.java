package io.sluice.server.cluster;

import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.sluice.common.auth.ClusterSecurity;
import io.sluice.common.config.HostPort;
import io.sluice.common.net.CallFailure;
import io.sluice.common.net.IoMode;
import io.sluice.common.tls.ClientTls;
import io.sluice.proto.CoordinatorGrpc;
import io.sluice.proto.MoveTargetReply;
import io.sluice.proto.MoveTargetRequest;
import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleId;
import io.sluice.proto.Status;
import io.sluice.server.log.ShuffleKey;
import io.sluice.transport.client.DataConnection;
import io.sluice.transport.client.DataTransport;
import io.sluice.transport.client.GrpcDataTransport;
import io.sluice.transport.client.TransportConfig;
import io.sluice.transport.protocol.FrameLimits;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Finds move targets through the coordinators, and connects to them with the credentials of the
 * cluster.
 */
final class ClusterTargets implements MoveTargets {
  private static final long COORDINATOR_MS = 5_000;

  /** A target without free memory delays pushes, so the request timeout is long. */
  private static final TransportConfig TRANSPORT =
      new TransportConfig(10_000, 60_000, IoMode.NIO, 1, FrameLimits.DEFAULT);

  /** Longer than the request timeout of the transport. */
  private static final long WAIT_MS = 2L * TRANSPORT.requestTimeoutMs();

  private static final long TOKEN_MS = TimeUnit.MINUTES.toMillis(10);

  private final List<HostPort> coordinators;
  private final Supplier<ServerId> self;
  private final ClusterSecurity security;
  private final ClientTls tls;
  private final LongSupplier nanoTime;

  /**
   * @param self identity of this server, read for each call
   */
  ClusterTargets(
      List<HostPort> coordinators,
      Supplier<ServerId> self,
      ClusterSecurity security,
      LongSupplier nanoTime) {
    this.coordinators = coordinators;
    this.self = self;
    this.security = security;
    this.tls = security.clientTls();
    this.nanoTime = nanoTime;
  }

  @Override
  public ServerId find(ShuffleKey shuffle, int partitions, Collection<String> excluded)
      throws IOException {
    MoveTargetRequest request =
        MoveTargetRequest.newBuilder()
            .setShuffle(
                ShuffleId.newBuilder()
                    .setApplication(shuffle.application())
                    .setShuffle(shuffle.shuffle()))
            .setFrom(self.get().getName())
            .setPartitions(partitions)
            .addAllExcludedServers(excluded)
            .build();
    String why = "no coordinator is configured";
    for (HostPort coordinator : coordinators) {
      ManagedChannel channel = ClusterChannels.toCoordinator(coordinator, security);
      try {
        MoveTargetReply reply =
            CoordinatorGrpc.newBlockingStub(channel)
                .withDeadlineAfter(COORDINATOR_MS, TimeUnit.MILLISECONDS)
                .findMoveTarget(request);
        if (reply.getStatus() == Status.OK) {
          return reply.getServer();
        }
        why = reply.getMessage();
      } catch (StatusRuntimeException e) {
        why =
            "coordinator "
                + coordinator
                + " did not return a move target: "
                + CallFailure.describe(e.getStatus());
      } finally {
        channel.shutdownNow();
      }
    }
    throw new IOException(why);
  }

  @Override
  public MoveTarget connect(ServerId server, String application)
      throws IOException, InterruptedException {
    // The transport and its thread are closed with the target.
    DataTransport transport =
        new GrpcDataTransport(TRANSPORT, of -> security.credential(of, TOKEN_MS), tls, nanoTime);
    boolean connected = false;
    try {
      DataConnection connection =
          ConnectedTarget.await(
              server.getName(),
              transport.connect(server, application, "move of " + self.get().getName()),
              WAIT_MS);
      connected = true;
      return new ConnectedTarget(server.getName(), transport, connection, WAIT_MS);
    } finally {
      if (!connected) {
        transport.close();
      }
    }
  }
}
