package io.sluice.it.cluster;

import io.sluice.client.ClientConfig;
import io.sluice.client.SluiceClient;
import io.sluice.client.coordinator.ApplicationSession;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.coordinator.ShuffleRegistration;
import io.sluice.client.coordinator.ShuffleRegistration.Assigned;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.config.HostPort;
import io.sluice.coordinator.CoordinatorConfig;
import io.sluice.coordinator.CoordinatorProcess;
import io.sluice.server.ShuffleServerProcess;
import io.sluice.server.TestServers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A coordinator, servers with little memory, and their clients, on free ports. Used by one test;
 * closing it closes all, the newest first.
 */
public final class InProcessCluster implements AutoCloseable {
  private final Path directory;
  private final String host;
  private final Deque<AutoCloseable> toClose = new ArrayDeque<>();
  private CoordinatorProcess coordinator;

  /**
   * @param directory parent of the servers' directories
   */
  public InProcessCluster(Path directory) {
    this(directory, "127.0.0.1");
  }

  /**
   * @param directory parent of the servers' directories
   * @param host loopback address of all processes
   */
  public InProcessCluster(Path directory, String host) {
    this.directory = directory;
    this.host = host;
  }

  /**
   * @param more additional options, which override the options here
   */
  public CoordinatorProcess startCoordinator(Map<String, String> more) throws IOException {
    Map<String, String> options = new HashMap<>();
    options.put("rss.coordinator.host", host);
    options.put("rss.rpc.server.port", "0");
    options.put("rss.jetty.http.port", "0");
    options.putAll(more);
    coordinator =
        closing(CoordinatorProcess.start(ConfigSet.of(CoordinatorConfig.SCHEMA, options)));
    return coordinator;
  }

  /**
   * @param more additional options, which override the options here
   */
  public ShuffleServerProcess startServer(String name, Map<String, String> more)
      throws IOException {
    Map<String, String> options = new HashMap<>();
    options.put("rss.server.host", host);
    options.putAll(more);
    return closing(
        ShuffleServerProcess.start(
            TestServers.config(HostPort.parse(quorum()), directory.resolve(name), options)));
  }

  /**
   * @param more additional options, which override the options here
   */
  public SluiceClient startClient(String application, Map<String, String> more) {
    Map<String, String> options = new HashMap<>();
    options.put("rss.coordinator.quorum", quorum());
    options.put("rss.client.io.compression.codec", "NONE");
    options.put("rss.client.retry.interval.max", "100ms");
    options.putAll(more);
    return closing(
        SluiceClient.start(
            ClientConfig.from(ConfigSet.of(ClientConfig.SCHEMA, options)), application, "test"));
  }

  /** Address of the coordinator. */
  public String quorum() {
    return new HostPort(host, coordinator.rpcPort()).toString();
  }

  /**
   * Waits until the given number of servers has registered.
   *
   * @return a shuffle on all of them
   */
  public static ShuffleAssignment awaitAssignment(
      SluiceClient client, int partitions, int servers) {
    ApplicationSession session = client.applicationSession("me");
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    ShuffleRegistration outcome = null;
    for (int shuffle = 0; System.nanoTime() < deadline; ) {
      outcome = session.registerShuffle(shuffle, partitions);
      if (outcome instanceof Assigned assigned) {
        if (assigned.assignment().servers().size() == servers) {
          return assigned.assignment();
        }
        shuffle++;
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
    throw new AssertionError("no assignment to " + servers + " servers: " + outcome);
  }

  public CoordinatorProcess coordinator() {
    return coordinator;
  }

  /** Closed with the cluster, before it. */
  public <T extends AutoCloseable> T closing(T what) {
    toClose.push(what);
    return what;
  }

  @Override
  public void close() throws Exception {
    while (!toClose.isEmpty()) {
      toClose.pop().close();
    }
  }
}
