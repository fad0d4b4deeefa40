package io.sluice.mr.am;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.sluice.mr.Assignments;
import io.sluice.proto.CoordinatorGrpc;
import io.sluice.proto.PartitionRange;
import io.sluice.proto.RegisterApplicationReply;
import io.sluice.proto.RegisterApplicationRequest;
import io.sluice.proto.RegisterShuffleReply;
import io.sluice.proto.RegisterShuffleRequest;
import io.sluice.proto.RenewLeaseReply;
import io.sluice.proto.RenewLeaseRequest;
import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleMove;
import io.sluice.proto.Status;
import io.sluice.proto.UnregisterApplicationReply;
import io.sluice.proto.UnregisterApplicationRequest;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A coordinator that assigns each shuffle and its replicas to three servers. */
final class CoordinatorInTest extends CoordinatorGrpc.CoordinatorImplBase implements AutoCloseable {
  private static final int SERVERS = 3;

  /** Replacement servers, assigned in this order. */
  final Queue<ServerId> spare = new ConcurrentLinkedQueue<>();

  /** Applications that were unregistered. */
  final Queue<String> unregistered = new ConcurrentLinkedQueue<>();

  /** Moves sent in every lease renewal. */
  final Queue<ShuffleMove> moves = new ConcurrentLinkedQueue<>();

  /** Moves that drivers have acknowledged. */
  final BlockingQueue<ShuffleMove> applied = new LinkedBlockingQueue<>();

  /** Reason for which every registration is denied; null to accept. */
  volatile String denial;

  volatile long leaseMs = 60_000;

  private final Server server;

  CoordinatorInTest() throws IOException {
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
            .addService(this)
            .build()
            .start();
  }

  String quorum() {
    return "127.0.0.1:" + server.getPort();
  }

  @Override
  public void registerApplication(
      RegisterApplicationRequest request, StreamObserver<RegisterApplicationReply> reply) {
    if (denial != null) {
      answer(
          reply,
          RegisterApplicationReply.newBuilder()
              .setStatus(Status.DENIED)
              .setMessage(denial)
              .build());
      return;
    }
    answer(
        reply,
        RegisterApplicationReply.newBuilder()
            .setStatus(Status.OK)
            .setLeaseMs(leaseMs)
            .setAssignableServers(SERVERS)
            .build());
  }

  @Override
  public void renewLease(RenewLeaseRequest request, StreamObserver<RenewLeaseReply> reply) {
    applied.addAll(request.getAppliedMovesList());
    answer(
        reply,
        RenewLeaseReply.newBuilder()
            .setStatus(Status.OK)
            .setLeaseMs(leaseMs)
            .addAllMoves(moves)
            .build());
  }

  @Override
  public void registerShuffle(
      RegisterShuffleRequest request, StreamObserver<RegisterShuffleReply> reply) {
    RegisterShuffleReply.Builder all = RegisterShuffleReply.newBuilder();
    if (request.getReplacementPartitions() > 0) {
      ServerId replacement = spare.poll();
      answer(
          reply,
          replacement == null
              ? all.setStatus(Status.NO_SERVERS).build()
              : all.setStatus(Status.OK)
                  .addServers(replacement)
                  .addRanges(
                      PartitionRange.newBuilder()
                          .setLast(request.getPartitionCount() - 1)
                          .addServers(0))
                  .build());
      return;
    }
    int partitions = request.getPartitionCount();
    for (int i = 0; i < SERVERS; i++) {
      all.addServers(Assignments.server(i));
      PartitionRange.Builder range =
          PartitionRange.newBuilder()
              .setFirst(partitions * i / SERVERS)
              .setLast(partitions * (i + 1) / SERVERS - 1);
      for (int replica = 0; replica < request.getReplicas(); replica++) {
        range.addServers((i + replica) % SERVERS);
      }
      all.addRanges(range);
    }
    answer(reply, all.setStatus(Status.OK).build());
  }

  @Override
  public void unregisterApplication(
      UnregisterApplicationRequest request, StreamObserver<UnregisterApplicationReply> reply) {
    unregistered.add(request.getApplication());
    answer(reply, UnregisterApplicationReply.newBuilder().setStatus(Status.OK).build());
  }

  private static <T> void answer(StreamObserver<T> to, T reply) {
    to.onNext(reply);
    to.onCompleted();
  }

  @Override
  public void close() throws InterruptedException {
    server.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
  }
}
