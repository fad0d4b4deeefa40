package io.sluice.coordinator;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.sluice.common.auth.ApplicationKey;
import io.sluice.common.auth.CallProofs;
import io.sluice.common.auth.ProcessRole;
import io.sluice.common.auth.TestAuthority;
import io.sluice.common.auth.TestUsers;
import io.sluice.common.config.ConfigSet;
import io.sluice.proto.AdminGrpc;
import io.sluice.proto.ApiCall;
import io.sluice.proto.ApiReply;
import io.sluice.proto.CoordinatorGrpc;
import io.sluice.proto.RegisterApplicationReply;
import io.sluice.proto.RegisterApplicationRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * Three coordinators with authentication and a quorum, in this process. The users are {@code ann},
 * and the admin {@code ops}. Used by one thread.
 */
final class SecuredQuorum implements AutoCloseable {
  private static final int TIMEOUT_MS = 60_000;
  private static final String SECRET = "0123456789abcdef0123456789abcdef";

  private final Path directory;
  private final TestAuthority authority = new TestAuthority();
  private final HttpClient http = HttpClient.newHttpClient();
  private final List<ManagedChannel> channels = new ArrayList<>();
  private final List<ConfigSet> configurations = new ArrayList<>();
  private final List<CoordinatorProcess> coordinators = new ArrayList<>();

  /** Prepares three coordinators with empty directories; {@link #start} starts them. */
  SecuredQuorum(Path directory) throws IOException {
    this.directory = directory;
    Path users = directory.resolve("users");
    Files.writeString(
        users, TestUsers.line("ann", "user", SECRET) + TestUsers.line("ops", "admin", SECRET));
    List<Integer> ports = freePorts();
    String quorum =
        ports.stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(","));
    for (int port : ports) {
      Map<String, String> settings = new HashMap<>();
      settings.put("rss.coordinator.host", "127.0.0.1");
      settings.put("rss.rpc.server.port", Integer.toString(port));
      settings.put("rss.jetty.http.port", "0");
      settings.put("rss.coordinator.quorum", quorum);
      settings.put("rss.coordinator.data.dir", data(port).toString());
      settings.put("rss.security.authentication.enabled", "true");
      settings.putAll(
          authority.files(
              Files.createDirectories(directory.resolve("identity-" + port)),
              ProcessRole.COORDINATOR));
      settings.put("rss.security.users.file", users.toString());
      configurations.add(ConfigSet.of(CoordinatorConfig.SCHEMA, settings));
    }
  }

  private Path data(int port) {
    return directory.resolve("data-" + port);
  }

  private static List<Integer> freePorts() throws IOException {
    List<ServerSocket> sockets = new ArrayList<>();
    List<Integer> ports = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
      sockets.add(socket);
      ports.add(socket.getLocalPort());
    }
    for (ServerSocket socket : sockets) {
      socket.close();
    }
    return ports;
  }

  /** Configurations of the coordinators, in order. */
  List<ConfigSet> configurations() {
    return configurations;
  }

  /**
   * Starts all coordinators, two of them with clocks that are wrong by a minute, and waits until
   * each is ready.
   */
  void start() throws IOException {
    for (ConfigSet configuration : configurations) {
      coordinators.add(
          SkewedCoordinator.start(configuration, Duration.ofMinutes(1L - coordinators.size())));
    }
    while (!coordinators.stream()
        .allMatch(each -> send(each, "GET", "/readyz").statusCode() == 200)) {
      LockSupport.parkNanos(10_000_000);
      if (Thread.currentThread().isInterrupted()) {
        throw new IllegalStateException("timeout of the test");
      }
    }
  }

  List<CoordinatorProcess> coordinators() {
    return coordinators;
  }

  ManagedChannel channel(CoordinatorProcess coordinator, CallProofs... proofs) {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", coordinator.rpcPort())
            .usePlaintext()
            .intercept(proofs)
            .build();
    channels.add(channel);
    return channel;
  }

  /** Calls of the user {@code ann}. */
  CoordinatorGrpc.CoordinatorBlockingStub stub(CoordinatorProcess coordinator) {
    return CoordinatorGrpc.newBlockingStub(channel(coordinator, proofs("ann")))
        .withDeadlineAfter(TIMEOUT_MS, TimeUnit.MILLISECONDS);
  }

  /** Calls of the REST API, and of backups, by a user. */
  AdminGrpc.AdminBlockingStub admin(CoordinatorProcess coordinator, String user) {
    return AdminGrpc.newBlockingStub(channel(coordinator, proofs(user)))
        .withDeadlineAfter(TIMEOUT_MS, TimeUnit.MILLISECONDS);
  }

  /** Sends a request of the REST API as {@code ops}. */
  ApiReply call(CoordinatorProcess coordinator, String method, String path) {
    return admin(coordinator, "ops")
        .call(ApiCall.newBuilder().setMethod(method).setPath(path).build());
  }

  static CallProofs proofs(String user) {
    return TestUsers.proofs(user, SECRET);
  }

  /** Proofs of calls of a process of the cluster. */
  CallProofs proofs(ProcessRole role) {
    return CallProofs.ofProcess(
        authority.process(role), ProcessRole.COORDINATOR, new SecureRandom(), true);
  }

  /** Registers an application of {@code ann}. */
  RegisterApplicationReply register(CoordinatorProcess coordinator, String application) {
    return stub(coordinator)
        .registerApplication(
            RegisterApplicationRequest.newBuilder()
                .setApplication(application)
                .setUser("ann")
                .setClientVersion("1")
                .setPublicKey(
                    ByteString.copyFrom(ApplicationKey.generate(new SecureRandom()).publicKey()))
                .build());
  }

  /** Sends an HTTP request as {@code ops}; PUT with a limit of 7 applications. */
  HttpResponse<String> send(CoordinatorProcess coordinator, String method, String path) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + coordinator.httpPort() + path))
            .header("Authorization", "Bearer ops:" + SECRET)
            .header("Content-Type", "application/json")
            .method(
                method,
                method.equals("PUT")
                    ? HttpRequest.BodyPublishers.ofString("{\"applications\": 7}")
                    : HttpRequest.BodyPublishers.noBody())
            .build();
    try {
      return http.send(request, HttpResponse.BodyHandlers.ofString());
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** As {@link #send}, again while no coordinator leads, which can happen on a busy machine. */
  HttpResponse<String> sendToLeader(CoordinatorProcess coordinator, String method, String path) {
    HttpResponse<String> reply = send(coordinator, method, path);
    while (reply.statusCode() == 503) {
      reply = send(coordinator, method, path);
    }
    return reply;
  }

  /** Stops all coordinators; {@link #start} starts them again. */
  @Override
  public void close() throws InterruptedException {
    for (ManagedChannel channel : channels) {
      channel.shutdownNow().awaitTermination(TIMEOUT_MS, TimeUnit.MILLISECONDS);
    }
    channels.clear();
    coordinators.forEach(CoordinatorProcess::close);
    coordinators.clear();
  }
}
