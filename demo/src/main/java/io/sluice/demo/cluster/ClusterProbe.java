package io.sluice.demo.cluster;

import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.sluice.proto.CoordinatorGrpc;
import io.sluice.proto.GetStatusReply;
import io.sluice.proto.GetStatusRequest;
import io.sluice.proto.ListApplicationsRequest;
import io.sluice.proto.ListServersReply;
import io.sluice.proto.ListServersRequest;
import io.sluice.proto.ServerId;
import io.sluice.proto.ServerInfo;
import io.sluice.proto.ServerState;
import io.sluice.proto.ShuffleServerControlGrpc;
import io.sluice.proto.Status;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * Asks the processes of a {@link LocalCluster} what they know and what they have counted. Not
 * thread-safe.
 */
public final class ClusterProbe implements AutoCloseable {
  private static final long CALL_TIMEOUT_MS = 10_000;
  private static final long POLL_MS = 50;

  private final LocalCluster cluster;
  private final Map<String, ManagedChannel> channels = new HashMap<>();

  public ClusterProbe(LocalCluster cluster) {
    this.cluster = cluster;
  }

  /** Counters and load of one server. */
  public GetStatusReply status(ClusterNode server) throws IOException {
    try {
      GetStatusReply reply =
          ShuffleServerControlGrpc.newBlockingStub(channel(server))
              .withDeadlineAfter(CALL_TIMEOUT_MS, TimeUnit.MILLISECONDS)
              .getStatus(GetStatusRequest.getDefaultInstance());
      if (reply.getStatus() != Status.OK) {
        throw new IOException(
            server.name()
                + " does not tell its status: "
                + reply.getStatus()
                + " "
                + reply.getMessage());
      }
      return reply;
    } catch (StatusRuntimeException e) {
      throw silent(server, e);
    }
  }

  /** The sum over all servers. */
  public ServerCounters counters() throws IOException {
    ServerCounters sum = ServerCounters.ZERO;
    for (ClusterNode server : cluster.servers()) {
      sum = sum.plus(ServerCounters.of(status(server)));
    }
    return sum;
  }

  /** Ids of the applications that the coordinators have leases of. */
  public Set<String> applications() throws IOException {
    Set<String> ids = new TreeSet<>();
    for (ClusterNode coordinator : cluster.coordinators()) {
      try {
        CoordinatorGrpc.newBlockingStub(channel(coordinator))
            .withDeadlineAfter(CALL_TIMEOUT_MS, TimeUnit.MILLISECONDS)
            .listApplications(ListApplicationsRequest.getDefaultInstance())
            .getApplicationsList()
            .forEach(application -> ids.add(application.getApplication()));
      } catch (StatusRuntimeException e) {
        throw silent(coordinator, e);
      }
    }
    return ids;
  }

  /**
   * Waits until every coordinator sees {@code count} servers that take assignments. One that was
   * started again counts once the coordinator has heard of its new life.
   *
   * @throws ClusterStartException if that is not so after {@code timeout}
   */
  public void awaitActiveServers(int count, Duration timeout)
      throws InterruptedException, ClusterStartException {
    long deadlineNanos = System.nanoTime() + timeout.toNanos();
    for (ClusterNode coordinator : cluster.coordinators()) {
      String seen = activeServersSeenBy(coordinator);
      while (!seen.equals(Integer.toString(count))) {
        if (System.nanoTime() - deadlineNanos > 0) {
          throw new ClusterStartException(
              coordinator.name()
                  + " sees after "
                  + timeout.toSeconds()
                  + " s not "
                  + count
                  + " active servers, but "
                  + seen
                  + " (logs: "
                  + coordinator.directory().getParent()
                  + ")");
        }
        TimeUnit.MILLISECONDS.sleep(POLL_MS);
        seen = activeServersSeenBy(coordinator);
      }
    }
  }

  /** How many, or what stands in the way of knowing. */
  private String activeServersSeenBy(ClusterNode coordinator) {
    try {
      return Long.toString(activeServers(coordinator, runningEpochs()));
    } catch (IOException e) {
      return e.getMessage();
    }
  }

  /** By name of the server. */
  private Map<String, Long> runningEpochs() throws IOException {
    Map<String, Long> epochs = new HashMap<>();
    for (ClusterNode node : cluster.servers()) {
      if (node.isAlive()) {
        ServerId server = status(node).getServer();
        epochs.put(server.getName(), server.getEpoch());
      }
    }
    return epochs;
  }

  private long activeServers(ClusterNode coordinator, Map<String, Long> runningEpochs)
      throws IOException {
    try {
      ListServersReply reply =
          CoordinatorGrpc.newBlockingStub(channel(coordinator))
              .withDeadlineAfter(CALL_TIMEOUT_MS, TimeUnit.MILLISECONDS)
              .listServers(ListServersRequest.getDefaultInstance());
      return reply.getServersList().stream()
          .filter(info -> info.getState() == ServerState.ACTIVE)
          .map(ServerInfo::getServer)
          .filter(id -> runningEpochs.getOrDefault(id.getName(), id.getEpoch()) == id.getEpoch())
          .count();
    } catch (StatusRuntimeException e) {
      throw silent(coordinator, e);
    }
  }

  private static IOException silent(ClusterNode node, StatusRuntimeException cause) {
    return new IOException(
        node.name() + " at " + node.address() + " does not answer: " + cause.getStatus().getCode(),
        cause);
  }

  private ManagedChannel channel(ClusterNode node) {
    return channels.computeIfAbsent(
        node.address(),
        address ->
            NettyChannelBuilder.forAddress(ClusterNode.HOST, node.rpcPort())
                .usePlaintext()
                .build());
  }

  @Override
  public void close() {
    channels.values().forEach(ManagedChannel::shutdownNow);
    channels.clear();
  }
}
