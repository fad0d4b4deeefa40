package io.sluice.coordinator.api;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.sluice.common.auth.ClusterSecurity;
import io.sluice.common.auth.ProcessRole;
import io.sluice.common.net.CallFailure;
import io.sluice.proto.DecommissionReply;
import io.sluice.proto.DecommissionRequest;
import io.sluice.proto.GetConfigurationReply;
import io.sluice.proto.GetConfigurationRequest;
import io.sluice.proto.GetThreadsReply;
import io.sluice.proto.GetThreadsRequest;
import io.sluice.proto.ReloadConfigurationReply;
import io.sluice.proto.ReloadConfigurationRequest;
import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleServerControlGrpc;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/**
 * Sends admin operations to shuffle servers, authenticated with its identity. Such calls are rare,
 * so each opens a connection. Thread-safe; stages complete on the event loops.
 */
public final class ServerControl {
  private static final long CALL_TIMEOUT_MS = 10_000;
  private static final int BAD_GATEWAY = 502;

  private final EventLoopGroup loops;
  private final ClusterSecurity security;

  /**
   * @param loops borrows
   */
  public ServerControl(EventLoopGroup loops, ClusterSecurity security) {
    this.loops = loops;
    this.security = security;
  }

  CompletionStage<DecommissionReply> decommission(ServerId server, DecommissionRequest request) {
    return call(server, (stub, replies) -> stub.decommission(request, replies));
  }

  CompletionStage<ReloadConfigurationReply> reload(ServerId server) {
    return call(
        server,
        (stub, replies) ->
            stub.reloadConfiguration(ReloadConfigurationRequest.getDefaultInstance(), replies));
  }

  CompletionStage<GetConfigurationReply> configuration(ServerId server) {
    return call(
        server,
        (stub, replies) ->
            stub.getConfiguration(GetConfigurationRequest.getDefaultInstance(), replies));
  }

  CompletionStage<GetThreadsReply> threads(ServerId server) {
    return call(
        server,
        (stub, replies) -> stub.getThreads(GetThreadsRequest.getDefaultInstance(), replies));
  }

  private <R> CompletionStage<R> call(
      ServerId server,
      BiConsumer<ShuffleServerControlGrpc.ShuffleServerControlStub, StreamObserver<R>> call) {
    ManagedChannel channel = channel(server);
    CompletableFuture<R> answer = new CompletableFuture<>();
    call.accept(
        ShuffleServerControlGrpc.newStub(channel)
            .withDeadlineAfter(CALL_TIMEOUT_MS, TimeUnit.MILLISECONDS),
        new StreamObserver<>() {
          @Override
          public void onNext(R reply) {
            answer.complete(reply);
          }

          @Override
          public void onError(Throwable fault) {
            channel.shutdownNow();
            answer.completeExceptionally(
                new ApiException(
                    BAD_GATEWAY,
                    "call of server " + server.getName() + " failed: " + reason(fault),
                    fault));
          }

          @Override
          public void onCompleted() {
            channel.shutdown();
          }
        });
    return answer;
  }

  private ManagedChannel channel(ServerId server) {
    return security
        .clientTls()
        .channel(server.getHost(), server.getRpcPort())
        .eventLoopGroup(loops)
        .channelType(NioSocketChannel.class)
        .directExecutor()
        .intercept(security.proofs(ProcessRole.SERVER))
        .build();
  }

  private static String reason(Throwable fault) {
    Status status = Status.fromThrowable(fault);
    return switch (status.getCode()) {
      case DEADLINE_EXCEEDED -> "no answer within " + CALL_TIMEOUT_MS + " ms";
      case UNIMPLEMENTED -> "the version of this server does not support the call";
      default -> CallFailure.describe(status);
    };
  }
}
