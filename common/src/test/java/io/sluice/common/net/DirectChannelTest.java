package io.sluice.common.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyServerBuilder;
import io.sluice.proto.CoordinatorGrpc;
import io.sluice.proto.ListServersRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DirectChannelTest {
  private static final long TIMEOUT_MS = 30_000;

  private final Queue<URI> asked = new ConcurrentLinkedQueue<>();
  private ProxySelector before;

  /** The proxy of the JVM; nothing listens at its address. */
  private final class DeadProxy extends ProxySelector {
    @Override
    public List<Proxy> select(URI uri) {
      asked.add(uri);
      return List.of(
          new Proxy(
              Proxy.Type.HTTP,
              InetSocketAddress.createUnresolved(
                  InetAddress.getLoopbackAddress().getHostAddress(), 1)));
    }

    @Override
    public void connectFailed(URI uri, SocketAddress address, IOException failure) {
      // The call fails.
    }
  }

  /** Without a scheme, gRPC would take each as the name of a scheme. */
  @ParameterizedTest
  @ValueSource(strings = {"dns", "unix", "coordinator1"})
  void aHostIsNoScheme(String host) {
    ManagedChannel channel = DirectChannel.to(host, 7).usePlaintext().build();
    assertThat(channel.authority()).isEqualTo(host + ":7");
    channel.shutdownNow();
  }

  @BeforeEach
  void setProxy() {
    before = ProxySelector.getDefault();
    ProxySelector.setDefault(new DeadProxy());
  }

  @AfterEach
  void restoreProxy() {
    ProxySelector.setDefault(before);
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "::1", "localhost"})
  void connectsWithoutTheProxyOfTheJvm(String host) throws Exception {
    Loopback.assumeHas(host);
    Server server = NettyServerBuilder.forAddress(new InetSocketAddress(host, 0)).build().start();
    ManagedChannel channel = DirectChannel.to(host, server.getPort()).usePlaintext().build();
    try {
      StatusRuntimeException answer =
          catchThrowableOfType(
              StatusRuntimeException.class,
              () ->
                  CoordinatorGrpc.newBlockingStub(channel)
                      .withDeadlineAfter(TIMEOUT_MS, TimeUnit.MILLISECONDS)
                      .listServers(ListServersRequest.getDefaultInstance()));

      // The server has no service.
      assertThat(answer.getStatus().getCode()).isEqualTo(Status.Code.UNIMPLEMENTED);
      assertThat(asked).isEmpty();
    } finally {
      channel.shutdownNow().awaitTermination(TIMEOUT_MS, TimeUnit.MILLISECONDS);
      server.shutdownNow().awaitTermination(TIMEOUT_MS, TimeUnit.MILLISECONDS);
    }
  }
}
