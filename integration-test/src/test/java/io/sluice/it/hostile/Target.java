package io.sluice.it.hostile;

import io.grpc.ClientInterceptor;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.sluice.client.ClientConfig;
import io.sluice.client.SluiceClient;
import io.sluice.common.auth.ApplicationCredential;
import io.sluice.common.auth.CallProofs;
import io.sluice.common.auth.TestUsers;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.tls.TestTls;
import io.sluice.common.tls.TlsContexts;
import io.sluice.localcluster.ClusterNode;
import io.sluice.transport.protocol.ConnectionProofs;
import io.sluice.transport.protocol.ProofScope;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/**
 * Addresses and protocols of a cluster for peers. Thread-safe; the caller closes everything it
 * opens.
 */
final class Target {
  static final int TIMEOUT_MS = (int) TimeUnit.SECONDS.toMillis(Bounds.WAIT_SECONDS);

  /** Small receive buffer, so that the kernel buffers little for a peer that does not read. */
  private static final int SMALL_BUFFER = 4 << 10;

  private static final long POLL_MS = 100;

  private final ClusterNode coordinator;
  private final ClusterNode server;
  private final Optional<Path> certificates;
  private final Optional<TlsContexts> tls;
  private final HttpClient http;

  /**
   * @param certificates directory of the trust file of peers; empty for a cluster without TLS
   */
  Target(ClusterNode coordinator, ClusterNode server, Optional<Path> certificates)
      throws IOException {
    this.coordinator = coordinator;
    this.server = server;
    this.certificates = certificates;
    this.tls =
        certificates.isPresent()
            ? Optional.of(TestTls.caller(certificates.get(), "sluice", Optional.empty()))
            : Optional.empty();
    HttpClient.Builder builder = HttpClient.newBuilder();
    tls.ifPresent(contexts -> builder.sslContext(contexts.https()));
    this.http = builder.version(HttpClient.Version.HTTP_1_1).build();
  }

  /** Unused application name. */
  String newApplication(Identity identity) {
    return identity.application("job-" + System.nanoTime());
  }

  boolean encrypted() {
    return tls.isPresent();
  }

  ClusterNode coordinator() {
    return coordinator;
  }

  ClusterNode server() {
    return server;
  }

  /** The process that listens on a port. */
  ClusterNode node(Port port) {
    return switch (port) {
      case SERVER_DATA, SERVER_RPC, SERVER_HTTP -> server;
      case COORDINATOR_RPC, COORDINATOR_HTTP -> coordinator;
    };
  }

  int number(Port port) {
    return switch (port) {
      case SERVER_DATA -> server.nettyPort();
      case SERVER_RPC, COORDINATOR_RPC -> node(port).rpcPort();
      case SERVER_HTTP, COORDINATOR_HTTP -> node(port).httpPort();
    };
  }

  /** A connection from 127.0.0.1, with TLS if the cluster uses it. */
  Socket connect(Port port) throws IOException {
    return connect(port, 1);
  }

  /**
   * A connection with TLS if the cluster uses it.
   *
   * @param source last byte of the loopback source address
   */
  Socket connect(Port port, int source) throws IOException {
    Socket tcp = connectTcp(port, source);
    if (tls.isEmpty()) {
      return tcp;
    }
    try {
      SSLSocket socket =
          (SSLSocket)
              tls.get()
                  .https()
                  .getSocketFactory()
                  .createSocket(tcp, ClusterNode.HOST, number(port), true);
      if (port == Port.SERVER_RPC || port == Port.COORDINATOR_RPC) {
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setApplicationProtocols(new String[] {"h2"});
        socket.setSSLParameters(parameters);
      }
      socket.startHandshake();
      return socket;
    } catch (IOException | RuntimeException e) {
      tcp.close();
      throw e;
    }
  }

  /** A TCP connection before TLS. */
  Socket connectTcp(Port port, int source) throws IOException {
    Socket socket = new Socket();
    try {
      socket.setReceiveBufferSize(SMALL_BUFFER);
      socket.setSoTimeout(TIMEOUT_MS);
      socket.setTcpNoDelay(true);
      socket.bind(
          new InetSocketAddress(
              InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) source}), 0));
      socket.connect(new InetSocketAddress(ClusterNode.HOST, number(port)), TIMEOUT_MS);
      return socket;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  /** A gRPC channel; its owner shuts it down. */
  ManagedChannel channel(Port port, ClientInterceptor... interceptors) {
    NettyChannelBuilder builder =
        NettyChannelBuilder.forAddress(ClusterNode.HOST, number(port))
            .disableRetry()
            .maxInboundMetadataSize(1 << 20)
            .intercept(interceptors);
    if (tls.isPresent()) {
      builder.sslContext(tls.get().grpcClient());
    } else {
      builder.usePlaintext();
    }
    return builder.build();
  }

  /** Authenticates a data connection. */
  static ConnectionProofs proofs(ApplicationCredential credential) {
    return proofs(credential, ProofScope.DATA);
  }

  static ConnectionProofs proofs(ApplicationCredential credential, ProofScope scope) {
    return new ConnectionProofs(
        credential, scope, ClusterNode.HOST, new SecureRandom(), Clock.systemUTC());
  }

  /** Authenticates calls as a user. */
  static CallProofs proofs(Identity identity) {
    return TestUsers.proofs(identity.user(), identity.secret());
  }

  /** Reads /metrics of a process. Retries while attackers use all connections. */
  Gauges gauges(ClusterNode node) throws IOException, InterruptedException {
    URI address =
        URI.create(
            (encrypted() ? "https://" : "http://")
                + ClusterNode.HOST
                + ":"
                + node.httpPort()
                + "/metrics");
    HttpRequest request =
        HttpRequest.newBuilder(address).timeout(Duration.ofMillis(TIMEOUT_MS)).build();
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MS);
    while (true) {
      try {
        HttpResponse<String> reply = http.send(request, HttpResponse.BodyHandlers.ofString());
        if (reply.statusCode() != 200) {
          throw new IOException(node.name() + " answers " + reply.statusCode() + " to /metrics");
        }
        return Gauges.parse(reply.body());
      } catch (IOException e) {
        if (!node.isAlive() || System.nanoTime() - deadline > 0) {
          throw e;
        }
        TimeUnit.MILLISECONDS.sleep(POLL_MS);
      }
    }
  }

  /**
   * A client of the cluster, without compression.
   *
   * @param more additional options, which override the options here
   */
  SluiceClient client(Identity identity, String application, Map<String, String> more)
      throws IOException {
    Map<String, String> options = new HashMap<>();
    options.put("rss.coordinator.quorum", coordinator.address());
    options.put("rss.client.io.compression.codec", "NONE");
    options.put("rss.client.retry.interval.max", "100ms");
    options.put("rss.client.read.shortcircuit.enabled", "false");
    options.put("rss.security.user", identity.user());
    Path secret = server.directory().resolve(identity.user() + ".secret");
    if (Files.notExists(secret)) {
      Files.writeString(secret, identity.secret() + "\n");
    }
    options.put("rss.security.user.secret.file", secret.toString());
    if (certificates.isPresent()) {
      options.put("rss.security.tls.enabled", "true");
      options.put(
          "rss.security.tls.trust.file", certificates.get().resolve("sluice.crt").toString());
    }
    options.putAll(more);
    return SluiceClient.start(
        ClientConfig.from(ConfigSet.of(ClientConfig.SCHEMA, options)), application, "test");
  }
}
