package io.sluice.coordinator.service;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.sluice.common.error.PeerText;
import io.sluice.coordinator.raft.CoordinatorGroup;
import io.sluice.coordinator.state.StateOwner;
import io.sluice.proto.ApiCall;
import io.sluice.proto.ConsensusGrpc;
import io.sluice.proto.ForwardedCall;
import io.sluice.proto.ForwardedReply;
import io.sluice.proto.HeartbeatRequest;
import io.sluice.proto.ListApplicationsRequest;
import io.sluice.proto.ListServersRequest;
import io.sluice.proto.MembershipReply;
import io.sluice.proto.MembershipRequest;
import io.sluice.proto.MoveTargetRequest;
import io.sluice.proto.RegisterApplicationRequest;
import io.sluice.proto.RegisterShuffleRequest;
import io.sluice.proto.RenewLeaseRequest;
import io.sluice.proto.ReplicationCall;
import io.sluice.proto.ReplicationReply;
import io.sluice.proto.UnregisterApplicationRequest;
import java.io.IOException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Implements {@code sluice.v1.Consensus}, for coordinators only. Threads of its own write the log,
 * so that event loops are not blocked. Thread-safe.
 */
public final class ConsensusService extends ConsensusGrpc.ConsensusImplBase
    implements AutoCloseable {
  private static final int THREADS = 4;
  private static final int MAX_WAITING = 64;

  private final CoordinatorGroup group;
  private final StateOwner owner;
  private final CoordinatorService service;
  private final AdminService admin;
  private final ThreadPoolExecutor executor;

  public ConsensusService(
      CoordinatorGroup group, StateOwner owner, CoordinatorService service, AdminService admin) {
    this.group = group;
    this.owner = owner;
    this.service = service;
    this.admin = admin;
    this.executor =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(MAX_WAITING),
            new DefaultThreadFactory("coordinator-replication", true));
  }

  @Override
  public void membership(MembershipRequest request, StreamObserver<MembershipReply> observer) {
    observer.onNext(group.membership());
    observer.onCompleted();
  }

  @Override
  public void replicate(ReplicationCall call, StreamObserver<ReplicationReply> observer) {
    try {
      executor.execute(
          () -> {
            ReplicationReply reply;
            try {
              reply = group.replicate(call);
            } catch (IOException | RuntimeException e) {
              observer.onError(
                  Status.UNAVAILABLE
                      .withDescription(PeerText.clipped(String.valueOf(e.getMessage()), 1000))
                      .asRuntimeException());
              return;
            }
            observer.onNext(reply);
            observer.onCompleted();
          });
    } catch (RejectedExecutionException e) {
      observer.onError(
          Status.RESOURCE_EXHAUSTED
              .withDescription("replication messages waiting: maximum " + MAX_WAITING)
              .asRuntimeException());
    }
  }

  @Override
  public void forward(ForwardedCall call, StreamObserver<ForwardedReply> observer) {
    if (!owner.leads()) {
      observer.onError(
          Status.UNAVAILABLE.withDescription(group.self() + " does not lead").asRuntimeException());
      return;
    }
    ByteString request = call.getRequest();
    try {
      switch (call.getMethod()) {
        case "RegisterApplication" ->
            service.registerApplication(
                RegisterApplicationRequest.parseFrom(request), wrapped(observer));
        case "RenewLease" ->
            service.renewLease(RenewLeaseRequest.parseFrom(request), wrapped(observer));
        case "UnregisterApplication" ->
            service.unregisterApplication(
                UnregisterApplicationRequest.parseFrom(request), wrapped(observer));
        case "RegisterShuffle" ->
            service.registerShuffle(RegisterShuffleRequest.parseFrom(request), wrapped(observer));
        case "Heartbeat" ->
            service.heartbeat(HeartbeatRequest.parseFrom(request), wrapped(observer));
        case "FindMoveTarget" ->
            service.findMoveTarget(MoveTargetRequest.parseFrom(request), wrapped(observer));
        case "ListServers" ->
            service.listServers(ListServersRequest.parseFrom(request), wrapped(observer));
        case "ListApplications" ->
            service.listApplications(ListApplicationsRequest.parseFrom(request), wrapped(observer));
        case "Call" -> admin.forwarded(ApiCall.parseFrom(request), wrapped(observer));
        default ->
            observer.onError(
                Status.UNIMPLEMENTED
                    .withDescription("method " + PeerText.quoted(call.getMethod()))
                    .asRuntimeException());
      }
    } catch (InvalidProtocolBufferException e) {
      observer.onError(
          Status.INVALID_ARGUMENT
              .withDescription("request of " + PeerText.quoted(call.getMethod()))
              .asRuntimeException());
    }
  }

  private static <R extends Message> StreamObserver<R> wrapped(
      StreamObserver<ForwardedReply> observer) {
    return new StreamObserver<>() {
      @Override
      public void onNext(R reply) {
        observer.onNext(ForwardedReply.newBuilder().setReply(reply.toByteString()).build());
      }

      @Override
      public void onError(Throwable fault) {
        observer.onError(fault);
      }

      @Override
      public void onCompleted() {
        observer.onCompleted();
      }
    };
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }
}
