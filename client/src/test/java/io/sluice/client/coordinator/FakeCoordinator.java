package io.sluice.client.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.stub.StreamObserver;
import io.sluice.common.auth.Caller;
import io.sluice.common.auth.TokenGrants;
import io.sluice.proto.ApplicationReport;
import io.sluice.proto.CoordinatorGrpc.CoordinatorImplBase;
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
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Returns configured replies, and records the requests. */
final class FakeCoordinator extends CoordinatorImplBase {
  final BlockingQueue<String> asked = new LinkedBlockingQueue<>();
  final Set<String> known = ConcurrentHashMap.newKeySet();
  volatile long leaseMs = 60;
  volatile Status shuffleStatus = Status.OK;
  volatile Status applicationStatus = Status.OK;
  volatile List<ShuffleMove> moves = List.of();
  volatile boolean losesApplicationsAtReport;
  volatile TokenGrants grants = TokenGrants.NONE;
  volatile ServerId server =
      ServerId.newBuilder().setName("s").setHost("127.0.0.1").setRpcPort(1).build();

  /** Number of registrations that are not answered, as by a suspended process. */
  final AtomicInteger silent = new AtomicInteger();

  /** Number of registrations that are refused because no coordinator leads. */
  final AtomicInteger withoutLeader = new AtomicInteger();

  static <T> void answer(StreamObserver<T> observer, T reply) {
    observer.onNext(reply);
    observer.onCompleted();
  }

  @Override
  public void registerApplication(
      RegisterApplicationRequest request, StreamObserver<RegisterApplicationReply> observer) {
    asked.add("register " + request.getApplication() + " of " + request.getUser());
    if (silent.getAndDecrement() > 0) {
      return;
    }
    if (withoutLeader.getAndDecrement() > 0) {
      observer.onError(io.grpc.Status.UNAVAILABLE.asRuntimeException());
      return;
    }
    if (applicationStatus == Status.OK) {
      known.add(request.getApplication());
    }
    RegisterApplicationReply.Builder reply =
        RegisterApplicationReply.newBuilder()
            .setStatus(applicationStatus)
            .setMessage(applicationStatus == Status.OK ? "" : "no room for you")
            .setLeaseMs(leaseMs);
    grants
        .grant(Caller.current(), request.getApplication(), request.getPublicKey())
        .ifPresent(reply::setToken);
    answer(observer, reply.build());
  }

  @Override
  public void renewLease(RenewLeaseRequest request, StreamObserver<RenewLeaseReply> observer) {
    asked.add("renew");
    if (request.getAppliedMovesCount() > 0) {
      asked.add("applied " + request.getAppliedMoves(0).getTo().getName());
    }
    ApplicationReport report = request.getReport();
    if (report.getWrongReceipts() > 0) {
      asked.add("wrong " + report.getWrongReceipts());
      if (losesApplicationsAtReport) {
        losesApplicationsAtReport = false;
        known.clear();
      }
    }
    request
        .getReceiptsList()
        .forEach(one -> asked.add("receipt " + one.getShuffle() + " " + one.getMatched()));
    if (report.hasTasks()) {
      asked.add("tasks " + report.getTasks().getPushedBytes());
    }
    RenewLeaseReply.Builder reply =
        RenewLeaseReply.newBuilder()
            .setStatus(
                known.contains(request.getApplication()) ? Status.OK : Status.UNKNOWN_APPLICATION)
            .setLeaseMs(leaseMs)
            .addAllMoves(moves);
    grants
        .grant(Caller.current(), request.getApplication(), request.getPublicKey())
        .ifPresent(reply::setToken);
    answer(observer, reply.build());
  }

  @Override
  public void registerShuffle(
      RegisterShuffleRequest request, StreamObserver<RegisterShuffleReply> observer) {
    if (!request.getPreferredZone().isEmpty()) {
      asked.add("zone " + request.getPreferredZone());
    }
    asked.add(
        request.getReplacementPartitions() > 0
            ? "further "
                + request.getShuffle().getShuffle()
                + " for "
                + request.getReplacementPartitions()
                + " without "
                + request.getExcludedServersList()
            : "shuffle " + request.getShuffle().getShuffle());
    Status status =
        known.contains(request.getShuffle().getApplication())
            ? shuffleStatus
            : Status.UNKNOWN_APPLICATION;
    RegisterShuffleReply.Builder reply = RegisterShuffleReply.newBuilder().setStatus(status);
    if (status == Status.OK) {
      reply
          .addServers(server)
          .addRanges(
              PartitionRange.newBuilder()
                  .setFirst(0)
                  .setLast(request.getPartitionCount() - 1)
                  .addServers(0));
    } else {
      reply.setMessage("nothing to give");
    }
    answer(observer, reply.build());
  }

  @Override
  public void unregisterApplication(
      UnregisterApplicationRequest request, StreamObserver<UnregisterApplicationReply> observer) {
    asked.add("unregister " + request.getApplication());
    ApplicationReport report = request.getReport();
    if (report.getFallbackShuffles() > 0) {
      asked.add("end with fallbacks " + report.getFallbackShuffles());
    }
    if (report.getWrongReceipts() > 0) {
      asked.add("end with wrong " + report.getWrongReceipts());
    }
    if (report.hasTasks()) {
      asked.add("end with tasks " + report.getTasks().getPushedBytes());
    }
    answer(observer, UnregisterApplicationReply.newBuilder().setStatus(Status.OK).build());
  }

  void awaitAsked(String what) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    String next = "";
    while (next != null && !next.equals(what)) {
      next = asked.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
    }
    assertThat(next).isEqualTo(what);
  }
}
