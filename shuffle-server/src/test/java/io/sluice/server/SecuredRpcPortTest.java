package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.common.auth.CallProofs;
import io.sluice.common.auth.OwnIdentity;
import io.sluice.common.auth.ProcessRole;
import io.sluice.common.auth.TestAuthority;
import io.sluice.common.rpc.AllCalls;
import io.sluice.common.rpc.RawHttp2;
import io.sluice.proto.Hello;
import io.sluice.proto.ShuffleServerControlGrpc;
import io.sluice.server.cluster.FakeCoordinator;
import io.sluice.transport.protocol.DataExchange;
import io.sluice.transport.protocol.FrameHeads;
import io.sluice.transport.protocol.FrameType;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The gRPC port of a server with authentication, for peers that may not make its calls. */
class SecuredRpcPortTest {
  private static final int TIMEOUT_MS = 60_000;
  private static final String EXCHANGE = DataExchange.METHOD.getFullMethodName();

  @TempDir Path directory;
  private final TestAuthority authority = new TestAuthority();
  private FakeCoordinator coordinator;
  private ShuffleServerProcess server;
  private RawHttp2 peer;

  @BeforeEach
  void start() throws Exception {
    coordinator = new FakeCoordinator(0);
    Map<String, String> settings = new HashMap<>(authority.files(directory, ProcessRole.SERVER));
    settings.put("rss.security.authentication.enabled", "true");
    server =
        ShuffleServerProcess.start(TestServers.config(coordinator.address(), directory, settings));
    peer = new RawHttp2(server.rpcPort(), TIMEOUT_MS);
  }

  @AfterEach
  void stop() throws IOException {
    peer.close();
    server.close();
    coordinator.close();
  }

  private String metrics() throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.httpPort() + "/metrics"))
                .build(),
            HttpResponse.BodyHandlers.ofString())
        .body();
  }

  private static byte[] hello(int clientNameLength) {
    ByteBuf frame =
        FrameHeads.encode(
            UnpooledByteBufAllocator.DEFAULT,
            FrameType.HELLO,
            1,
            Hello.newBuilder()
                .setMinVersion(1)
                .setMaxVersion(1)
                .setApplication("app")
                .setClient("c".repeat(clientNameLength))
                .build(),
            0);
    try {
      return ByteBufUtil.getBytes(frame);
    } finally {
      frame.release();
    }
  }

  @Test
  void deniesControlCallsByTheirHeaders() throws Exception {
    int stream = -1;
    for (String call :
        new String[] {"UnregisterShuffles", "UnregisterShuffleApplication", "GetStatus"}) {
      stream += 2;
      peer.call(stream, ShuffleServerControlGrpc.SERVICE_NAME + "/" + call);
      RawHttp2.Frame end = peer.end(stream);
      assertThat(end.status()).isEqualTo(Status.Code.PERMISSION_DENIED.value());
      assertThat(end.message()).isEqualTo(call + ": this cluster requires authentication");
    }
    assertThat(metrics())
        .contains("sluice_server_rpc_calls_denied_total{reason=\"PERMISSION_DENIED\",} 3.0");
  }

  /** Calls every method of the control service, in the name of a process of the cluster. */
  private Map<String, Status.Code> results(ProcessRole role, String host, Set<String> methods)
      throws InterruptedException {
    OwnIdentity caller = authority.process(role, host);
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", server.rpcPort())
            .usePlaintext()
            .intercept(CallProofs.ofProcess(caller, ProcessRole.SERVER, new SecureRandom(), true))
            .build();
    try {
      return AllCalls.results(channel, ShuffleServerControlGrpc.getServiceDescriptor(), methods);
    } finally {
      channel.shutdownNow().awaitTermination(TIMEOUT_MS, TimeUnit.MILLISECONDS);
    }
  }

  /**
   * An identity of a server reads the status of another server, as it reads the cluster's lists.
   */
  @Test
  void deniesTheCallsOfCoordinatorsToTheIdentityOfAnotherServer() throws Exception {
    Set<String> all = AllCalls.methods(ShuffleServerControlGrpc.getServiceDescriptor());
    assertThat(all).contains("UnregisterShuffles", "Decommission", "ReloadConfiguration");

    assertThat(results(ProcessRole.SERVER, "data-2", all))
        .containsOnlyKeys(all)
        .allSatisfy(
            (call, code) ->
                assertThat(code)
                    .as(call)
                    .isEqualTo(
                        call.equals("GetStatus") ? Status.Code.OK : Status.Code.PERMISSION_DENIED));

    // The same calls, with the identity of a coordinator.
    Set<String> ofCoordinators = Set.of("UnregisterShuffleApplication", "UnregisterShuffles");
    assertThat(results(ProcessRole.COORDINATOR, "coordinator-1", ofCoordinators).values())
        .containsOnly(Status.Code.OK);
  }

  @Test
  void endsADataStreamThatExceedsTheLimitBeforeHello() throws Exception {
    peer.call(1, EXCHANGE);
    peer.frame(RawHttp2.DATA, 0, 1, RawHttp2.prefix(16 << 20));
    peer.frame(RawHttp2.DATA, 0, 1, new byte[4_128]);
    peer.frame(RawHttp2.DATA, 0, 1, new byte[1]);

    RawHttp2.Frame end = peer.end(1);

    assertThat(end.status()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED.value());
    assertThat(end.message()).isEqualTo("request exceeds the limit of this call, maxBytes=4128");
  }

  @Test
  void answersAHelloOfTheMaximumLength() throws Exception {
    byte[] frame = hello(4_070);
    assertThat(frame.length).isBetween(4_096, 4_128);
    peer.call(1, EXCHANGE);
    peer.frame(RawHttp2.DATA, 0, 1, RawHttp2.message(frame));

    RawHttp2.Frame answer;
    do {
      answer = peer.next();
    } while (answer.type() == RawHttp2.HEADERS);

    assertThat(answer.type()).isEqualTo(RawHttp2.DATA);
    assertThat(new String(answer.payload(), StandardCharsets.ISO_8859_1))
        .contains("this cluster requires authentication, but the client sent no token");
    assertThat(peer.end(1).status()).isZero();
  }
}
