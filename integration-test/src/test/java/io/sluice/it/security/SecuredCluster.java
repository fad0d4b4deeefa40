package io.sluice.it.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.ClientConfig;
import io.sluice.client.SluiceClient;
import io.sluice.client.TransportKind;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.coordinator.ShuffleRegistration;
import io.sluice.client.coordinator.ShuffleRegistration.Assigned;
import io.sluice.client.push.MapAttempt;
import io.sluice.client.push.PushSession;
import io.sluice.client.read.ShuffleBlock;
import io.sluice.client.read.ShuffleRead;
import io.sluice.client.read.ShuffleReadRequest;
import io.sluice.common.config.ConfigSet;
import io.sluice.coordinator.CoordinatorConfig;
import io.sluice.coordinator.CoordinatorProcess;
import io.sluice.server.ServerConfig;
import io.sluice.server.ShuffleServerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A coordinator and a server that know two users, and clients of them. One test's own. */
final class SecuredCluster implements AutoCloseable {
  static final String ALICE = "0123456789abcdef0123456789abcdef";
  static final String BOB = "fedcba9876543210fedcba9876543210";
  static final String ROOT = "00112233445566778899aabbccddeeff";
  static final int PARTITIONS = 5;

  private static final String KEYS = "k1 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n";

  private final Path directory;
  private final Deque<AutoCloseable> toClose = new ArrayDeque<>();
  private CoordinatorProcess coordinator;
  private ShuffleServerProcess server;
  private Map<String, String> ofServers;

  SecuredCluster(Path directory) {
    this.directory = directory;
  }

  /**
   * @param more options of both processes
   */
  void start(Map<String, String> more) throws Exception {
    start(more, Map.of());
  }

  /**
   * @param more options of both processes
   * @param moreOfServers in the place of those
   */
  void start(Map<String, String> more, Map<String, String> moreOfServers) throws Exception {
    Path secret = file("cluster.secret", KEYS);
    Path users =
        file("users", "alice user " + ALICE + "\nbob user " + BOB + "\nroot admin " + ROOT + "\n");
    Map<String, String> both = new HashMap<>(more);
    both.put("rss.rpc.server.port", "0");
    both.put("rss.jetty.http.port", "0");
    both.put("rss.security.authentication.enabled", "true");
    both.put("rss.security.cluster.secret.file", secret.toString());
    both.put("rss.security.users.file", users.toString());
    Map<String, String> ofCoordinator = new HashMap<>(both);
    ofCoordinator.put("rss.coordinator.host", "127.0.0.1");
    // Drivers renew, and so hear of changes, every second.
    ofCoordinator.put("rss.coordinator.app.expired", "3s");
    ofCoordinator.put("rss.coordinator.server.heartbeat.interval", "100ms");
    coordinator = CoordinatorProcess.start(ConfigSet.of(CoordinatorConfig.SCHEMA, ofCoordinator));
    toClose.push(coordinator);
    Map<String, String> ofServer = new HashMap<>(both);
    ofServer.put("rss.coordinator.quorum", "127.0.0.1:" + coordinator.rpcPort());
    ofServer.put("rss.server.host", "127.0.0.1");
    ofServer.put("rss.server.netty.port", "0");
    ofServer.put("rss.server.buffer.capacity", "16m");
    ofServer.put("rss.server.heartbeat.interval", "100ms");
    ofServer.put("rss.server.stop.timeout", "10s");
    ofServer.putAll(moreOfServers);
    ofServers = ofServer;
    server = addServer("data");
  }

  /** One more of the same. */
  ShuffleServerProcess addServer(String name) throws IOException {
    return addServer(name, Map.of());
  }

  /**
   * @param more options in the place of those of the others
   */
  ShuffleServerProcess addServer(String name, Map<String, String> more) throws IOException {
    Map<String, String> options = new HashMap<>(ofServers);
    options.putAll(more);
    options.put("rss.storage.basePath", directory.resolve(name).toString());
    ShuffleServerProcess added =
        ShuffleServerProcess.start(ConfigSet.of(ServerConfig.SCHEMA, options));
    toClose.push(added);
    return added;
  }

  CoordinatorProcess coordinator() {
    return coordinator;
  }

  ShuffleServerProcess server() {
    return server;
  }

  /** Closed with the cluster, before it. */
  <T extends AutoCloseable> T closing(T what) {
    toClose.push(what);
    return what;
  }

  private Path file(String name, String text) throws IOException {
    return Files.writeString(directory.resolve(name), text);
  }

  /**
   * @param user null: one that proves nothing
   */
  SluiceClient client(
      TransportKind kind, String application, String user, String secret, Map<String, String> more)
      throws IOException {
    Map<String, String> values = new HashMap<>(more);
    values.put("rss.coordinator.quorum", "127.0.0.1:" + coordinator.rpcPort());
    values.put("rss.client.type", kind.name());
    values.put("rss.client.retry.interval.max", "100ms");
    values.put("rss.access.timeout.ms", "2s");
    values.put("rss.client.io.compression.codec", "NONE");
    if (user != null) {
      values.put("rss.security.user", user);
      values.put("rss.security.user.secret.file", file(user + ".secret", secret + "\n").toString());
    }
    return closing(
        SluiceClient.start(
            ClientConfig.from(ConfigSet.of(ClientConfig.SCHEMA, values)), application, "test"));
  }

  static ShuffleAssignment assigned(SluiceClient client) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    ShuffleRegistration outcome = null;
    while (System.nanoTime() < deadline) {
      outcome = client.applicationSession("me").registerShuffle(0, PARTITIONS);
      if (outcome instanceof Assigned assigned) {
        return assigned.assignment();
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
    throw new AssertionError("not assigned: " + outcome);
  }

  /** Pushes one map attempt, with so many random bytes for each partition. */
  static void push(SluiceClient client, ShuffleAssignment assignment, int bytes) throws Exception {
    Random random = new Random(7);
    try (PushSession session = client.pushSession(assignment, new MapAttempt(1, 0))) {
      session.beginFinalPass();
      for (int partition = 0; partition < PARTITIONS; partition++) {
        byte[] content = new byte[bytes];
        random.nextBytes(content);
        session.add(partition, content, 0, content.length, 1);
      }
      session.finish();
    }
  }

  /** Reads what {@link #push} pushed and checks every byte. */
  static void readBack(SluiceClient client, ShuffleAssignment assignment, int bytes)
      throws Exception {
    Random random = new Random(7);
    for (int partition = 0; partition < PARTITIONS; partition++) {
      byte[] expected = new byte[bytes];
      random.nextBytes(expected);
      byte[] found = new byte[bytes];
      int length = 0;
      ShuffleReadRequest request =
          ShuffleReadRequest.builder(assignment).expect(partition, 1, 0).build();
      try (ShuffleRead read = client.read(request)) {
        for (ShuffleBlock block = read.next(); block != null; block = read.next()) {
          int part = block.content().remaining();
          block.content().get(found, length, part);
          length += part;
        }
      }
      assertThat(length).isEqualTo(bytes);
      assertThat(found).isEqualTo(expected);
    }
  }

  @Override
  public void close() throws Exception {
    while (!toClose.isEmpty()) {
      toClose.pop().close();
    }
  }
}
