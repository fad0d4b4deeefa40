package io.sluice.coordinator.service;

import com.google.protobuf.ByteString;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.sluice.common.auth.ClusterSecurity;
import io.sluice.common.auth.ProcessRole;
import io.sluice.common.config.HostPort;
import io.sluice.common.net.CallFailure;
import io.sluice.coordinator.raft.Peers;
import io.sluice.proto.ConsensusGrpc;
import io.sluice.proto.ForwardedCall;
import io.sluice.proto.ForwardedReply;
import io.sluice.proto.MembershipReply;
import io.sluice.proto.MembershipRequest;
import io.sluice.proto.ReplicationCall;
import io.sluice.proto.ReplicationReply;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Calls of other coordinators over their gRPC ports, authenticated as those of this cluster.
 * Forwarded calls use connections of their own, so that they do not delay the replication.
 * Thread-safe.
 */
public final class GrpcPeers implements Peers, AutoCloseable {
  private static final long REPLICATION_TIMEOUT_MS = 1_000;
  private static final long FORWARD_TIMEOUT_MS = 10_000;

  /** A reply has at most as many bytes as a list of all applications or servers. */
  private static final int MAX_REPLY_BYTES = 64 << 20;

  private final EventLoopGroup loops;
  private final ClusterSecurity security;

  // All guarded by this.
  private final Map<String, ManagedChannel> replication = new HashMap<>();
  private final Map<String, ManagedChannel> forwarding = new HashMap<>();
  private boolean closed;

  /**
   * @param loops borrows
   */
  public GrpcPeers(EventLoopGroup loops, ClusterSecurity security) {
    this.loops = loops;
    this.security = security;
  }

  @Override
  public ReplicationReply replicate(String coordinator, ReplicationCall call) throws IOException {
    return replicating(coordinator, stub -> stub.replicate(call));
  }

  @Override
  public MembershipReply membership(String coordinator) throws IOException {
    return replicating(
        coordinator, stub -> stub.membership(MembershipRequest.getDefaultInstance()));
  }

  private <R> R replicating(
      String coordinator, Function<ConsensusGrpc.ConsensusBlockingStub, R> call)
      throws IOException {
    ManagedChannel channel = channel(replication, coordinator);
    try {
      return call.apply(
          ConsensusGrpc.newBlockingStub(channel)
              .withDeadlineAfter(REPLICATION_TIMEOUT_MS, TimeUnit.MILLISECONDS));
    } catch (StatusRuntimeException e) {
      dropAfterTimeout(replication, coordinator, channel, e);
      throw failed(coordinator, e);
    }
  }

  /**
   * Lets the next call open another connection. After a partition, TCP may not send on the old one
   * for as long as the partition lasted.
   */
  private synchronized void dropAfterTimeout(
      Map<String, ManagedChannel> channels,
      String coordinator,
      ManagedChannel channel,
      Throwable fault) {
    if (io.grpc.Status.fromThrowable(fault).getCode() == io.grpc.Status.Code.DEADLINE_EXCEEDED
        && channels.remove(coordinator, channel)) {
      // Calls of other threads end at their deadlines.
      channel.shutdown();
    }
  }

  @Override
  public CompletableFuture<ByteString> forward(
      String coordinator, String method, ByteString request) {
    CompletableFuture<ByteString> answer = new CompletableFuture<>();
    try {
      ManagedChannel channel = channel(forwarding, coordinator);
      ConsensusGrpc.newStub(channel)
          .withDeadlineAfter(FORWARD_TIMEOUT_MS, TimeUnit.MILLISECONDS)
          .forward(
              ForwardedCall.newBuilder().setMethod(method).setRequest(request).build(),
              new StreamObserver<ForwardedReply>() {
                @Override
                public void onNext(ForwardedReply reply) {
                  answer.complete(reply.getReply());
                }

                @Override
                public void onError(Throwable fault) {
                  dropAfterTimeout(forwarding, coordinator, channel, fault);
                  answer.completeExceptionally(failed(coordinator, fault));
                }

                @Override
                public void onCompleted() {
                  answer.completeExceptionally(new IOException(coordinator + ": no reply"));
                }
              });
    } catch (IOException e) {
      answer.completeExceptionally(e);
    }
    return answer;
  }

  private synchronized ManagedChannel channel(
      Map<String, ManagedChannel> channels, String coordinator) throws IOException {
    if (closed) {
      throw new IOException("this coordinator stops");
    }
    ManagedChannel channel = channels.computeIfAbsent(coordinator, this::open);
    if (channel.getState(false) == ConnectivityState.TRANSIENT_FAILURE) {
      // Otherwise gRPC may wait for two minutes before it connects again.
      channel.resetConnectBackoff();
    }
    return channel;
  }

  private ManagedChannel open(String coordinator) {
    HostPort address = HostPort.parse(coordinator);
    return security
        .clientTls()
        .channel(address.host(), address.port())
        .eventLoopGroup(loops)
        .channelType(NioSocketChannel.class)
        .directExecutor()
        .maxInboundMessageSize(MAX_REPLY_BYTES)
        .intercept(security.proofs(ProcessRole.COORDINATOR))
        .build();
  }

  private static IOException failed(String coordinator, Throwable fault) {
    return new IOException(
        coordinator + ": " + CallFailure.describe(io.grpc.Status.fromThrowable(fault)), fault);
  }

  @Override
  public synchronized void close() {
    closed = true;
    replication.values().forEach(ManagedChannel::shutdownNow);
    forwarding.values().forEach(ManagedChannel::shutdownNow);
  }
}
