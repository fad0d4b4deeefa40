package io.sluice.localcluster;

import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
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
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads state, counters and metrics from the processes of a {@link LocalCluster}. Not thread-safe.
 */
public final class ClusterProbe implements AutoCloseable {
  private static final long CALL_TIMEOUT_MS = 10_000;
  private static final long POLL_MS = 50;
  private static final int MAX_EVENTS = 2000;
  private static final int HTTP_OK = 200;

  private final LocalCluster cluster;
  private final NodeChannels opener;
  private final Map<String, ManagedChannel> channels = new HashMap<>();
  private final HttpClient http = HttpClient.newHttpClient();

  /** Probes a cluster without authentication and TLS. */
  public ClusterProbe(LocalCluster cluster) {
    this(cluster, NodeChannels.PLAIN);
  }

  /**
   * @param opener opens channels with which the caller proves its identity
   */
  public ClusterProbe(LocalCluster cluster, NodeChannels opener) {
    this.cluster = cluster;
    this.opener = opener;
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
                + " refused to report its status: "
                + reply.getStatus()
                + " "
                + reply.getMessage());
      }
      return reply;
    } catch (StatusRuntimeException e) {
      throw unanswered(server, e);
    }
  }

  /** The sum over all servers. */
  public ClusterCounters counters() throws IOException {
    ClusterCounters sum = ClusterCounters.ZERO;
    for (ClusterNode server : cluster.servers()) {
      sum = sum.plus(ClusterCounters.of(status(server)));
    }
    return sum;
  }

  /**
   * Number of events of one kind among the latest {@value #MAX_EVENTS} events that the REST API of
   * a coordinator lists.
   *
   * @param kind a value of {@code kind} in the API, such as {@code USAGE_RULES_CHANGED}
   */
  public long events(ClusterNode coordinator, String kind)
      throws IOException, InterruptedException {
    return Pattern.compile("\"kind\"\\s*:\\s*\"" + Pattern.quote(kind) + "\"")
        .matcher(get(coordinator, "/api/v1/events?limit=" + MAX_EVENTS))
        .results()
        .count();
  }

  /**
   * Whether the newest entry of one kind in the events of a coordinator is about a server. Events
   * of one kind in quick succession share an entry, which names the server of the last one.
   *
   * @param kind a value of {@code kind} in the API
   */
  public boolean hasEvent(ClusterNode coordinator, String kind, ClusterNode server)
      throws IOException, InterruptedException {
    Matcher newest =
        Pattern.compile(
                "\"kind\"\\s*:\\s*\""
                    + Pattern.quote(kind)
                    + "\"\\s*,\\s*\"server\"\\s*:\\s*\"([^\"]*)\"")
            .matcher(get(coordinator, "/api/v1/events?limit=" + MAX_EVENTS));
    return newest.find() && newest.group(1).equals(server.address());
  }

  /** Sum of all series of a metric of one process, as {@code /metrics} exposes it. */
  public double metric(ClusterNode node, String name) throws IOException, InterruptedException {
    Matcher samples =
        Pattern.compile("(?m)^" + Pattern.quote(name) + "(?:\\{.*})? (\\S+)")
            .matcher(get(node, "/metrics"));
    double sum = 0;
    boolean found = false;
    while (samples.find()) {
      found = true;
      sum += Double.parseDouble(samples.group(1));
    }
    if (!found) {
      throw new IOException(node.name() + " does not expose the metric " + name);
    }
    return sum;
  }

  private String get(ClusterNode node, String path) throws IOException, InterruptedException {
    URI address = URI.create(node.httpAddress() + path);
    HttpResponse<String> reply =
        http.send(
            HttpRequest.newBuilder(address).timeout(Duration.ofMillis(CALL_TIMEOUT_MS)).build(),
            HttpResponse.BodyHandlers.ofString());
    if (reply.statusCode() != HTTP_OK) {
      throw new IOException(
          node.name() + " answered HTTP " + reply.statusCode() + " to GET " + path);
    }
    return reply.body();
  }

  /** A state of the cluster for which {@link #await} waits. */
  @FunctionalInterface
  public interface Condition {
    boolean isMet() throws IOException, InterruptedException;
  }

  /**
   * Polls until a condition is met. An {@link IOException}, such as no answer, counts as not met.
   *
   * @param description of the condition, for the message of the exception
   * @throws ClusterStartException if it is not met after {@code timeout}
   */
  public void await(String description, Duration timeout, Condition condition)
      throws InterruptedException, ClusterStartException {
    long deadlineNanos = System.nanoTime() + timeout.toNanos();
    String last = "";
    while (true) {
      try {
        if (condition.isMet()) {
          return;
        }
      } catch (IOException e) {
        last = ": " + e.getMessage();
      }
      if (System.nanoTime() - deadlineNanos > 0) {
        throw new ClusterStartException(
            description
                + ": not met within "
                + timeout.toSeconds()
                + " s (logs: "
                + cluster.coordinator().directory().getParent()
                + ")"
                + last);
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MS);
    }
  }

  /**
   * Waits until one of several coordinators leads, and returns it.
   *
   * @throws ClusterStartException if none does within {@code timeout}
   */
  public ClusterNode awaitLeader(Collection<ClusterNode> coordinators, Duration timeout)
      throws InterruptedException, ClusterStartException {
    ClusterNode[] leader = new ClusterNode[1];
    await(
        "a coordinator leads",
        timeout,
        () -> {
          for (ClusterNode coordinator : coordinators) {
            if (coordinator.isAlive() && metric(coordinator, "sluice_coordinator_leads") == 1) {
              leader[0] = coordinator;
              return true;
            }
          }
          return false;
        });
    return leader[0];
  }

  /**
   * Waits until a coordinator leads, or knows the leader.
   *
   * @throws ClusterStartException if it does not within {@code timeout}
   */
  public void awaitQuorum(ClusterNode coordinator, Duration timeout)
      throws InterruptedException, ClusterStartException {
    await(
        coordinator.name() + " knows a leader",
        timeout,
        () -> metric(coordinator, "sluice_coordinator_quorum") == 1);
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
        throw unanswered(coordinator, e);
      }
    }
    return ids;
  }

  /**
   * Waits until every coordinator lists {@code count} active servers. A restarted server counts
   * once the coordinator knows its new epoch.
   *
   * @param timeout of each coordinator
   * @throws ClusterStartException if a coordinator does not within {@code timeout}
   */
  public void awaitActiveServers(int count, Duration timeout)
      throws InterruptedException, ClusterStartException {
    for (ClusterNode coordinator : cluster.coordinators()) {
      await(
          coordinator.name() + " lists " + count + " active servers",
          timeout,
          () -> {
            long seen = activeServers(coordinator, runningEpochs());
            if (seen != count) {
              throw new IOException("it lists " + seen);
            }
            return true;
          });
    }
  }

  /**
   * Waits until a server knows no application and stores no byte.
   *
   * @throws ClusterStartException with what the server still has after {@code timeout}
   */
  public void awaitEmpty(ClusterNode server, Duration timeout)
      throws InterruptedException, ClusterStartException {
    await(
        server.name() + " stores nothing",
        timeout,
        () -> {
          GetStatusReply status = status(server);
          long bytes = status.getLoad().getStoredBytes();
          if (status.getApplications() > 0 || bytes > 0) {
            throw new IOException(
                "it stores " + bytes + " bytes of " + status.getApplications() + " applications");
          }
          return true;
        });
  }

  /** Epochs of the running servers by server name. */
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
      throw unanswered(coordinator, e);
    }
  }

  private static IOException unanswered(ClusterNode node, StatusRuntimeException cause) {
    return new IOException(
        node.name() + " at " + node.address() + " does not answer: " + cause.getStatus().getCode(),
        cause);
  }

  private ManagedChannel channel(ClusterNode node) {
    return channels.computeIfAbsent(
        node.address(), address -> opener.open(node.host(), node.rpcPort()));
  }

  @Override
  public void close() {
    channels.values().forEach(ManagedChannel::shutdownNow);
    channels.clear();
  }
}
