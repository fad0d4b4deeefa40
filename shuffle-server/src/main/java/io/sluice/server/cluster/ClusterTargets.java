package io.sluice.server.cluster;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.sluice.common.auth.ApplicationCredential;
import io.sluice.common.auth.ClusterSecurity;
import io.sluice.common.config.HostPort;
import io.sluice.common.error.SluiceException;
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
import java.time.Clock;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Finds move targets through the coordinators, and connects to them with the tokens that the
 * coordinators grant to this server for each application. Thread-safe.
 */
final class ClusterTargets implements MoveTargets {
  private static final long COORDINATOR_MS = 5_000;

  /** A target without free memory delays pushes, so the request timeout is long. */
  private static final TransportConfig TRANSPORT =
      new TransportConfig(10_000, 60_000, IoMode.NIO, 1, FrameLimits.DEFAULT);

  /** Longer than the request timeout of the transport. */
  private static final long WAIT_MS = 2L * TRANSPORT.requestTimeoutMs();

  /** A token that expires earlier is replaced before a connection is opened. */
  private static final long MIN_TOKEN_MS = TimeUnit.MINUTES.toMillis(1);

  private static final int MAX_CREDENTIALS = 1_000;

  private final List<HostPort> coordinators;
  private final Supplier<ServerId> self;
  private final ClusterSecurity security;
  private final Clock clock;
  private final Network network;

  /** The newest credential of each application; guarded by itself. */
  private final Map<String, ApplicationCredential> credentials =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, ApplicationCredential> eldest) {
          return size() > MAX_CREDENTIALS;
        }
      };

  /** Opens connections; the caller closes them. */
  interface Network {
    ManagedChannel coordinator(HostPort address);

    /**
     * @param credential credential of the connections; empty if they need none
     */
    DataTransport transport(Optional<ApplicationCredential> credential);
  }

  /**
   * @param self identity of this server, read for each call
   */
  ClusterTargets(
      List<HostPort> coordinators,
      Supplier<ServerId> self,
      ClusterSecurity security,
      Clock clock,
      LongSupplier nanoTime) {
    this(coordinators, self, security, clock, grpc(security, nanoTime));
  }

  /** As the other, with the network from the caller. */
  ClusterTargets(
      List<HostPort> coordinators,
      Supplier<ServerId> self,
      ClusterSecurity security,
      Clock clock,
      Network network) {
    this.coordinators = coordinators;
    this.self = self;
    this.security = security;
    this.clock = clock;
    this.network = network;
  }

  private static Network grpc(ClusterSecurity security, LongSupplier nanoTime) {
    ClientTls tls = security.clientTls();
    return new Network() {
      @Override
      public ManagedChannel coordinator(HostPort address) {
        return ClusterChannels.toCoordinator(address, security);
      }

      @Override
      public DataTransport transport(Optional<ApplicationCredential> credential) {
        return new GrpcDataTransport(TRANSPORT, of -> credential, tls, nanoTime);
      }
    };
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
      ManagedChannel channel = network.coordinator(coordinator);
      try {
        MoveTargetReply reply =
            CoordinatorGrpc.newBlockingStub(channel)
                .withDeadlineAfter(COORDINATOR_MS, TimeUnit.MILLISECONDS)
                .findMoveTarget(request);
        if (reply.getStatus() == Status.OK) {
          accept(shuffle.application(), reply.getToken());
          return reply.getServer();
        }
        why = reply.getMessage();
      } catch (SluiceException e) {
        why =
            "coordinator " + coordinator + " granted a token that is not valid: " + e.getMessage();
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

  private void accept(String application, ByteString token) throws SluiceException {
    Optional<ApplicationCredential> credential = security.credential(token);
    if (credential.isPresent()) {
      synchronized (credentials) {
        credentials.remove(application);
        credentials.put(application, credential.get());
      }
    }
  }

  private Optional<ApplicationCredential> known(String application) {
    synchronized (credentials) {
      return Optional.ofNullable(credentials.get(application));
    }
  }

  /** A credential that is valid for the next minute; empty if connections need none. */
  private Optional<ApplicationCredential> credential(String application) throws IOException {
    Optional<ApplicationCredential> known = known(application);
    if (known.isPresent() && known.get().expiryMs() - clock.millis() < MIN_TOKEN_MS) {
      // Only the token of the reply is used.
      find(new ShuffleKey(application, 0), 1, List.of());
      return known(application);
    }
    return known;
  }

  @Override
  public MoveTarget connect(ServerId server, String application)
      throws IOException, InterruptedException {
    Optional<ApplicationCredential> credential = credential(application);
    // The transport and its thread are closed with the target.
    DataTransport transport = network.transport(credential);
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
