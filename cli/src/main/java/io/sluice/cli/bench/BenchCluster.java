package io.sluice.cli.bench;

import io.sluice.cli.control.ControlChannel;
import io.sluice.cli.control.ControlIdentity;
import io.sluice.common.config.HostPort;
import io.sluice.proto.GetStatusReply;
import io.sluice.proto.GetStatusRequest;
import io.sluice.proto.ListServersReply;
import io.sluice.proto.ListServersRequest;
import io.sluice.proto.PartitionRange;
import io.sluice.proto.RegisterApplicationReply;
import io.sluice.proto.RegisterApplicationRequest;
import io.sluice.proto.RegisterShuffleReply;
import io.sluice.proto.RegisterShuffleRequest;
import io.sluice.proto.RenewLeaseReply;
import io.sluice.proto.RenewLeaseRequest;
import io.sluice.proto.ServerId;
import io.sluice.proto.ServerInfo;
import io.sluice.proto.ServerState;
import io.sluice.proto.ShuffleId;
import io.sluice.proto.UnregisterApplicationRequest;
import io.sluice.proto.UnregisterShuffleApplicationRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Application of a benchmark at the cluster: registers it, renews its lease, and unregisters it at
 * the end. Used by the main thread; the scheduler renews the lease.
 */
public final class BenchCluster implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(BenchCluster.class);
  private static final int SHUFFLE = 0;

  private final ControlChannel coordinator;
  private final ScheduledExecutorService scheduler;
  private final long timeoutMs;
  private final ControlIdentity identity;
  private final String application;
  private final Map<String, ControlChannel> servers = new LinkedHashMap<>();
  private long leaseMs;

  /** A server and its partitions of the shuffle. */
  public static final class Share {
    private final ServerId server;
    private final int[] partitions;

    /**
     * Stores the array without a copy.
     *
     * @param partitions ascending
     */
    public Share(ServerId server, int[] partitions) {
      this.server = server;
      this.partitions = partitions;
    }

    public ServerId server() {
      return server;
    }

    /** Borrowed: the caller must not change the array. */
    int[] partitions() {
      return partitions;
    }
  }

  /**
   * Sends no requests yet.
   *
   * @param coordinator takes
   * @param scheduler borrowed, one daemon thread
   * @param identity gets the application's token at each registration and renewal
   */
  public BenchCluster(
      ControlChannel coordinator,
      ScheduledExecutorService scheduler,
      long timeoutMs,
      ControlIdentity identity,
      String application) {
    this.coordinator = coordinator;
    this.scheduler = scheduler;
    this.timeoutMs = timeoutMs;
    this.identity = identity;
    this.application = application;
  }

  public String application() {
    return application;
  }

  public long leaseMs() {
    return leaseMs;
  }

  public ShuffleId shuffle() {
    return ShuffleId.newBuilder().setApplication(application).setShuffle(SHUFFLE).build();
  }

  /** Registers the application and starts to renew its lease. */
  public void register() throws IOException {
    RegisterApplicationReply reply =
        coordinator.coordinator(
            stub ->
                stub.registerApplication(
                    RegisterApplicationRequest.newBuilder()
                        .setApplication(application)
                        .setUser(identity.user())
                        .setClientVersion("bench")
                        .setPublicKey(identity.publicKey())
                        .build()));
    coordinator.requireOk("register the application", reply.getStatus(), reply.getMessage());
    identity.acceptToken(reply.hasToken(), reply.getToken(), application);
    if (reply.getAssignableServers() == 0) {
      throw new IOException(
          "coordinator " + coordinator.peer() + " has no assignable shuffle server");
    }
    leaseMs = reply.getLeaseMs();
    long everyMs = Math.max(1, leaseMs / 3);
    // Ends with the scheduler; renew() logs failures.
    var unused =
        scheduler.scheduleWithFixedDelay(this::renew, everyMs, everyMs, TimeUnit.MILLISECONDS);
  }

  private void renew() {
    try {
      RenewLeaseReply reply =
          coordinator.coordinator(
              stub ->
                  stub.renewLease(
                      RenewLeaseRequest.newBuilder()
                          .setApplication(application)
                          .setPublicKey(identity.publicKey())
                          .build()));
      coordinator.requireOk("renew the lease", reply.getStatus(), reply.getMessage());
      identity.acceptToken(reply.hasToken(), reply.getToken(), application);
    } catch (IOException failure) {
      log.warn(
          "Cannot renew the lease: application={} reason={}", application, failure.getMessage());
    }
  }

  /** Registers the shuffle and returns its assignment. */
  List<Share> assign(int partitions) throws IOException {
    RegisterShuffleReply reply =
        coordinator.coordinator(
            stub ->
                stub.registerShuffle(
                    RegisterShuffleRequest.newBuilder()
                        .setShuffle(shuffle())
                        .setPartitionCount(partitions)
                        .setReplicas(1)
                        .build()));
    coordinator.requireOk("assign the shuffle", reply.getStatus(), reply.getMessage());
    Map<Integer, List<Integer>> byServer = new TreeMap<>();
    for (PartitionRange range : reply.getRangesList()) {
      List<Integer> assigned =
          byServer.computeIfAbsent(range.getServers(0), at -> new ArrayList<>());
      for (int partition = range.getFirst(); partition <= range.getLast(); partition++) {
        assigned.add(partition);
      }
    }
    List<Share> shares = new ArrayList<>();
    byServer.forEach(
        (at, assigned) ->
            shares.add(
                new Share(
                    reply.getServers(at),
                    assigned.stream().mapToInt(Integer::intValue).toArray())));
    return shares;
  }

  /** All live servers, each with all partitions, for a reader that does not know the assignment. */
  public List<Share> allPartitionsOnEveryServer(int partitions) throws IOException {
    ListServersReply reply =
        coordinator.coordinator(stub -> stub.listServers(ListServersRequest.getDefaultInstance()));
    coordinator.requireOk("list servers", reply.getStatus(), reply.getMessage());
    int[] all = new int[partitions];
    for (int i = 0; i < partitions; i++) {
      all[i] = i;
    }
    List<Share> shares = new ArrayList<>();
    for (ServerInfo info : reply.getServersList()) {
      if (info.getState() != ServerState.SERVER_LOST) {
        shares.add(new Share(info.getServer(), all));
      }
    }
    return shares;
  }

  /** Counters of the servers, by name. */
  public Map<String, GetStatusReply> statuses(List<Share> shares) throws IOException {
    Map<String, GetStatusReply> statuses = new LinkedHashMap<>();
    for (Share share : shares) {
      ControlChannel channel = channel(share.server());
      GetStatusReply reply =
          channel.server(stub -> stub.getStatus(GetStatusRequest.getDefaultInstance()));
      channel.requireOk("report its status", reply.getStatus(), reply.getMessage());
      statuses.put(share.server().getName(), reply);
    }
    return statuses;
  }

  private ControlChannel channel(ServerId server) {
    return servers.computeIfAbsent(
        server.getName(),
        name ->
            ControlChannel.ofServer(
                new HostPort(server.getHost(), server.getRpcPort()), timeoutMs, identity));
  }

  /** Unregisters the application at coordinator and servers. If that fails, its lease expires. */
  public void forget() {
    try {
      coordinator.coordinator(
          stub ->
              stub.unregisterApplication(
                  UnregisterApplicationRequest.newBuilder().setApplication(application).build()));
      for (ControlChannel server : servers.values()) {
        server.server(
            stub ->
                stub.unregisterShuffleApplication(
                    UnregisterShuffleApplicationRequest.newBuilder()
                        .setApplication(application)
                        .build()));
      }
    } catch (IOException failure) {
      log.warn(
          "Cannot unregister the application; its data is kept until the lease expires: "
              + "application={} reason={}",
          application,
          failure.getMessage());
    }
  }

  @Override
  public void close() {
    servers.values().forEach(ControlChannel::close);
    coordinator.close();
  }
}
