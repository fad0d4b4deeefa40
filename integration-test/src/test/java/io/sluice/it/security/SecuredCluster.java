package io.sluice.it.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.SluiceClient;
import io.sluice.client.TransportKind;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.push.MapAttempt;
import io.sluice.client.push.PushSession;
import io.sluice.client.read.ShuffleBlock;
import io.sluice.client.read.ShuffleRead;
import io.sluice.client.read.ShuffleReadRequest;
import io.sluice.common.auth.ProcessRole;
import io.sluice.common.auth.TestAuthority;
import io.sluice.common.auth.TestUsers;
import io.sluice.coordinator.CoordinatorProcess;
import io.sluice.it.cluster.InProcessCluster;
import io.sluice.server.ShuffleServerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;

/** A coordinator and a server with two users, and their clients. Used by one test. */
final class SecuredCluster implements AutoCloseable {
  static final String ALICE = "0123456789abcdef0123456789abcdef";
  static final String BOB = "fedcba9876543210fedcba9876543210";
  static final String ROOT = "00112233445566778899aabbccddeeff";
  static final int PARTITIONS = 5;

  private final TestAuthority authority = new TestAuthority();
  private final Path directory;
  private final InProcessCluster processes;
  private ShuffleServerProcess server;
  private Map<String, String> ofServers;

  SecuredCluster(Path directory) {
    this(directory, "127.0.0.1");
  }

  /**
   * @param host loopback address of all processes
   */
  SecuredCluster(Path directory, String host) {
    this.directory = directory;
    this.processes = new InProcessCluster(directory, host);
  }

  /**
   * @param more additional options of both processes
   */
  void start(Map<String, String> more) throws Exception {
    start(more, Map.of());
  }

  /**
   * @param more additional options of both processes
   * @param moreOfServers additional options of servers, which override those
   */
  void start(Map<String, String> more, Map<String, String> moreOfServers) throws Exception {
    start(more, Map.of(), moreOfServers);
  }

  /** Starts a coordinator that issues tokens of this lifetime, and a server. */
  void start(String tokenLifetime) throws Exception {
    start(Map.of(), Map.of("rss.security.token.lifetime", tokenLifetime), Map.of());
  }

  private void start(
      Map<String, String> more,
      Map<String, String> moreOfCoordinator,
      Map<String, String> moreOfServers)
      throws Exception {
    Path users =
        file(
            "users",
            TestUsers.line("alice", "user", ALICE)
                + TestUsers.line("bob", "user", BOB)
                + TestUsers.line("root", "admin", ROOT));
    Map<String, String> both = new HashMap<>(more);
    both.put("rss.security.authentication.enabled", "true");
    both.put("rss.security.users.file", users.toString());
    Map<String, String> ofCoordinator = new HashMap<>(both);
    ofCoordinator.putAll(authority.files(directory, ProcessRole.COORDINATOR));
    ofCoordinator.putAll(moreOfCoordinator);
    // Drivers renew their lease, and receive moves, every second.
    ofCoordinator.put("rss.coordinator.app.expired", "3s");
    ofCoordinator.put("rss.coordinator.server.heartbeat.interval", "100ms");
    processes.startCoordinator(ofCoordinator);
    ofServers = new HashMap<>(both);
    ofServers.putAll(authority.files(directory, ProcessRole.SERVER));
    ofServers.putAll(moreOfServers);
    server = addServer("data");
  }

  /** Starts one more server with the same options. */
  ShuffleServerProcess addServer(String name) throws IOException {
    return addServer(name, Map.of());
  }

  /**
   * @param more options that override those of the other servers
   */
  ShuffleServerProcess addServer(String name, Map<String, String> more) throws IOException {
    Map<String, String> options = new HashMap<>(ofServers);
    options.putAll(more);
    return processes.startServer(name, options);
  }

  CoordinatorProcess coordinator() {
    return processes.coordinator();
  }

  ShuffleServerProcess server() {
    return server;
  }

  /** Closed with the cluster, before it. */
  <T extends AutoCloseable> T closing(T what) {
    return processes.closing(what);
  }

  private Path file(String name, String text) throws IOException {
    return Files.writeString(directory.resolve(name), text);
  }

  /**
   * @param user user of the client; null for a client without credentials
   */
  SluiceClient client(
      TransportKind kind, String application, String user, String secret, Map<String, String> more)
      throws IOException {
    Map<String, String> values = new HashMap<>(more);
    values.put("rss.client.type", kind.name());
    values.put("rss.access.timeout.ms", "2s");
    if (user != null) {
      values.put("rss.security.user", user);
      values.put("rss.security.user.secret.file", file(user + ".secret", secret + "\n").toString());
    }
    return processes.startClient(application, values);
  }

  static ShuffleAssignment assigned(SluiceClient client) {
    return InProcessCluster.awaitAssignment(client, PARTITIONS, 1);
  }

  /** Pushes one map attempt with {@code bytes} random bytes per partition. */
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
    processes.close();
  }
}
