package io.sluice.coordinator.service;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.sluice.common.auth.Caller;
import io.sluice.common.auth.TokenGrants;
import io.sluice.common.error.PeerText;
import io.sluice.common.error.UnexpectedFailure;
import io.sluice.coordinator.api.LeaderCalls;
import io.sluice.coordinator.http.CoordinatorMetrics;
import io.sluice.coordinator.state.Decision;
import io.sluice.coordinator.state.Decisions;
import io.sluice.coordinator.state.LogUnavailableException;
import io.sluice.coordinator.state.MoveDecisions;
import io.sluice.coordinator.state.NotLeadingException;
import io.sluice.coordinator.state.StateOwner;
import io.sluice.proto.ClientConfigurationReply;
import io.sluice.proto.ClientConfigurationRequest;
import io.sluice.proto.CoordinatorGrpc;
import io.sluice.proto.HeartbeatReply;
import io.sluice.proto.HeartbeatRequest;
import io.sluice.proto.ListApplicationsReply;
import io.sluice.proto.ListApplicationsRequest;
import io.sluice.proto.ListServersReply;
import io.sluice.proto.ListServersRequest;
import io.sluice.proto.MoveTargetReply;
import io.sluice.proto.MoveTargetRequest;
import io.sluice.proto.RegisterApplicationReply;
import io.sluice.proto.RegisterApplicationRequest;
import io.sluice.proto.RegisterShuffleReply;
import io.sluice.proto.RegisterShuffleRequest;
import io.sluice.proto.RenewLeaseReply;
import io.sluice.proto.RenewLeaseRequest;
import io.sluice.proto.Status;
import io.sluice.proto.UnregisterApplicationReply;
import io.sluice.proto.UnregisterApplicationRequest;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Implements {@code sluice.v1.Coordinator}. Thread-safe. */
public final class CoordinatorService extends CoordinatorGrpc.CoordinatorImplBase {
  private static final Logger log = LoggerFactory.getLogger(CoordinatorService.class);

  /**
   * A call that the state thread decides. Replies have a status and a message.
   *
   * @param name name of the call in metrics
   * @param none the empty reply
   * @param status field of the reply
   * @param message field of the reply
   */
  private record Call<R extends Message>(
      String name, R none, FieldDescriptor status, FieldDescriptor message) {
    Call(String name, R none) {
      this(
          name,
          none,
          none.getDescriptorForType().findFieldByName("status"),
          none.getDescriptorForType().findFieldByName("message"));
    }

    Status status(R reply) {
      return Status.valueOf((EnumValueDescriptor) reply.getField(status));
    }

    @SuppressWarnings("unchecked") // A builder of R builds an R.
    R refusal(Status code, String text) {
      return (R)
          none.newBuilderForType()
              .setField(status, code.getValueDescriptor())
              .setField(message, text)
              .build();
    }

    @SuppressWarnings("unchecked") // The parser of R parses an R.
    R parse(ByteString bytes) throws InvalidProtocolBufferException {
      return (R) none.getParserForType().parseFrom(bytes);
    }
  }

  private static final Call<RegisterApplicationReply> REGISTER_APPLICATION =
      new Call<>("RegisterApplication", RegisterApplicationReply.getDefaultInstance());
  private static final Call<RenewLeaseReply> RENEW_LEASE =
      new Call<>("RenewLease", RenewLeaseReply.getDefaultInstance());
  private static final Call<UnregisterApplicationReply> UNREGISTER_APPLICATION =
      new Call<>("UnregisterApplication", UnregisterApplicationReply.getDefaultInstance());
  private static final Call<RegisterShuffleReply> REGISTER_SHUFFLE =
      new Call<>("RegisterShuffle", RegisterShuffleReply.getDefaultInstance());
  private static final Call<HeartbeatReply> HEARTBEAT =
      new Call<>("Heartbeat", HeartbeatReply.getDefaultInstance());
  private static final Call<MoveTargetReply> FIND_MOVE_TARGET =
      new Call<>("FindMoveTarget", MoveTargetReply.getDefaultInstance());

  private static final Call<ListServersReply> LIST_SERVERS =
      new Call<>("ListServers", ListServersReply.getDefaultInstance());
  private static final Call<ListApplicationsReply> LIST_APPLICATIONS =
      new Call<>("ListApplications", ListApplicationsReply.getDefaultInstance());

  private static final StateOwner.Outcome<HeartbeatReply> OBSERVED =
      new StateOwner.Outcome<>() {
        @Override
        public void decided(HeartbeatReply reply) {}

        @Override
        public void failed(Throwable cause) {
          log.debug("heartbeat not observed", cause);
        }
      };

  private final StateOwner owner;
  private final LeaderCalls leader;
  private final Supplier<Decisions> decisions;
  private final Supplier<ClientSettings> clientSettings;
  private final CoordinatorMetrics metrics;
  private final TokenGrants tokens;
  private final Executor signatures;
  private final LongSupplier nanoTime;

  /** Used by the state thread only. */
  private final RandomGenerator seeds;

  /**
   * @param leader executes calls if this coordinator does not lead
   * @param decisions called for each request, on the state thread
   * @param signatures signs tokens, each for a fraction of a millisecond
   */
  public CoordinatorService(
      StateOwner owner,
      LeaderCalls leader,
      Supplier<Decisions> decisions,
      Supplier<ClientSettings> clientSettings,
      CoordinatorMetrics metrics,
      TokenGrants tokens,
      Executor signatures,
      LongSupplier nanoTime,
      RandomGenerator seeds) {
    this.owner = owner;
    this.leader = leader;
    this.decisions = decisions;
    this.clientSettings = clientSettings;
    this.metrics = metrics;
    this.tokens = tokens;
    this.signatures = signatures;
    this.nanoTime = nanoTime;
    this.seeds = seeds;
  }

  @Override
  public void registerApplication(
      RegisterApplicationRequest request, StreamObserver<RegisterApplicationReply> observer) {
    Caller caller = Caller.current();
    // The name of an authenticated user replaces the name in the request.
    RegisterApplicationRequest authenticated =
        caller.kind() == Caller.Kind.USER
            ? request.toBuilder().setUser(caller.name()).build()
            : request;
    decide(
        REGISTER_APPLICATION,
        authenticated,
        (view, nowMs) -> decisions.get().applications().register(view, authenticated, nowMs),
        reply -> withToken(reply, caller, authenticated),
        observer);
  }

  private RegisterApplicationReply withToken(
      RegisterApplicationReply reply, Caller caller, RegisterApplicationRequest request) {
    return reply.getStatus() != Status.OK
        ? reply
        : tokens
            .grant(caller, request.getApplication(), request.getPublicKey())
            .map(token -> reply.toBuilder().setToken(token).build())
            .orElse(reply);
  }

  private RenewLeaseReply withToken(
      RenewLeaseReply reply, Caller caller, RenewLeaseRequest request) {
    return reply.getStatus() != Status.OK
        ? reply
        : tokens
            .grant(caller, request.getApplication(), request.getPublicKey())
            .map(token -> reply.toBuilder().setToken(token).build())
            .orElse(reply);
  }

  private MoveTargetReply withToken(
      MoveTargetReply reply, Caller caller, MoveTargetRequest request) {
    return reply.getStatus() != Status.OK
        ? reply
        : tokens
            .grantMove(caller, request.getShuffle().getApplication())
            .map(token -> reply.toBuilder().setToken(token).build())
            .orElse(reply);
  }

  @Override
  public void renewLease(RenewLeaseRequest request, StreamObserver<RenewLeaseReply> observer) {
    Caller caller = Caller.current();
    decide(
        RENEW_LEASE,
        request,
        (view, nowMs) -> decisions.get().applications().renew(view, request, nowMs),
        reply -> withToken(reply, caller, request),
        observer);
  }

  @Override
  public void unregisterApplication(
      UnregisterApplicationRequest request, StreamObserver<UnregisterApplicationReply> observer) {
    decide(
        UNREGISTER_APPLICATION,
        request,
        (view, nowMs) -> decisions.get().applications().unregister(view, request, nowMs),
        observer);
  }

  @Override
  public void registerShuffle(
      RegisterShuffleRequest request, StreamObserver<RegisterShuffleReply> observer) {
    decide(
        REGISTER_SHUFFLE,
        request,
        (view, nowMs) ->
            decisions.get().shuffles().register(view, request, nowMs, seeds.nextLong()),
        observer);
  }

  @Override
  public void heartbeat(HeartbeatRequest request, StreamObserver<HeartbeatReply> observer) {
    StateOwner.Decider<HeartbeatReply> decider =
        (view, nowMs) -> decisions.get().servers().heartbeat(view, request, nowMs);
    if (!owner.leads()) {
      // So that this coordinator knows all servers if it is elected.
      owner.observe(decider, OBSERVED);
    }
    decide(HEARTBEAT, request, decider, observer);
  }

  @Override
  public void findMoveTarget(MoveTargetRequest request, StreamObserver<MoveTargetReply> observer) {
    Caller caller = Caller.current();
    decide(
        FIND_MOVE_TARGET,
        request,
        (view, nowMs) -> {
          MoveDecisions moves = decisions.get().moves();
          Optional<Decision<MoveTargetReply>> refusal =
              isOfServer(caller) ? moves.refusal(view, request) : Optional.empty();
          return refusal.isPresent()
              ? refusal.get()
              : moves.target(view, request, nowMs, seeds.nextLong());
        },
        reply -> withToken(reply, caller, request),
        observer);
  }

  @Override
  public void clientConfiguration(
      ClientConfigurationRequest request, StreamObserver<ClientConfigurationReply> observer) {
    long startNanos = nanoTime.getAsLong();
    answer(
        observer,
        ClientConfigurationReply.newBuilder()
            .setStatus(Status.OK)
            .addAllSettings(clientSettings.get().all())
            .build());
    metrics.answered("ClientConfiguration", Status.OK, nanoTime.getAsLong() - startNanos);
  }

  @Override
  public void listServers(ListServersRequest request, StreamObserver<ListServersReply> observer) {
    long startNanos = nanoTime.getAsLong();
    if (!owner.leads()) {
      forward(LIST_SERVERS, request, null, observer, startNanos);
      return;
    }
    answer(observer, decisions.get().listings().servers(owner.view(), owner.nowMs()));
    metrics.answered("ListServers", Status.OK, nanoTime.getAsLong() - startNanos);
  }

  @Override
  public void listApplications(
      ListApplicationsRequest request, StreamObserver<ListApplicationsReply> observer) {
    long startNanos = nanoTime.getAsLong();
    if (!owner.leads()) {
      forward(LIST_APPLICATIONS, request, null, observer, startNanos);
      return;
    }
    answer(observer, decisions.get().listings().applications(owner.view(), owner.nowMs()));
    metrics.answered("ListApplications", Status.OK, nanoTime.getAsLong() - startNanos);
  }

  private <R extends Message> void decide(
      Call<R> call, Message request, StateOwner.Decider<R> decider, StreamObserver<R> observer) {
    decide(call, request, decider, null, observer);
  }

  /**
   * Decides a request, or forwards it to the coordinator that leads.
   *
   * @param withToken adds a token to the reply, on a thread for signatures; null: no token
   */
  private <R extends Message> void decide(
      Call<R> call,
      Message request,
      StateOwner.Decider<R> decider,
      UnaryOperator<R> withToken,
      StreamObserver<R> observer) {
    long startNanos = nanoTime.getAsLong();
    if (!owner.leads()) {
      forward(call, request, withToken, observer, startNanos);
      return;
    }
    Caller caller = Caller.current();
    StateOwner.Outcome<R> outcome =
        new StateOwner.Outcome<>() {
          @Override
          public void decided(R reply) {
            metrics.answered(call.name, call.status(reply), nanoTime.getAsLong() - startNanos);
            if (reply instanceof RegisterShuffleReply assignment) {
              metrics.assigned(assignment);
            }
            answer(observer, withToken, reply);
          }

          @Override
          public void failed(Throwable cause) {
            if (cause instanceof NotLeadingException) {
              unavailable(call, observer, cause, startNanos);
              return;
            }
            decided(
                cause instanceof LogUnavailableException
                    ? call.refusal(Status.BUSY, cause.getMessage())
                    : call.refusal(
                        Status.INTERNAL,
                        UnexpectedFailure.logged(log, call.name, caller.text(), cause)
                            .getMessage()));
          }
        };
    if (!owner.submit(decider, outcome)) {
      metrics.queueFull();
      outcome.decided(
          call.refusal(
              Status.BUSY,
              "the queue of this coordinator is full: retry later, or use another coordinator"));
    }
  }

  /** Whether a server made a call, to this coordinator or to one that forwarded it. */
  private static boolean isOfServer(Caller caller) {
    return caller.kind() == Caller.Kind.SERVER || caller.kind() == Caller.Kind.COORDINATOR;
  }

  private <R extends Message> void forward(
      Call<R> call,
      Message request,
      UnaryOperator<R> withToken,
      StreamObserver<R> observer,
      long startNanos) {
    CompletableFuture<ByteString> unused =
        leader
            .call(call.name, request.toByteString())
            .whenComplete(
                (bytes, failure) -> {
                  if (failure != null) {
                    unavailable(call, observer, failure, startNanos);
                    return;
                  }
                  R reply;
                  try {
                    reply = call.parse(bytes);
                  } catch (InvalidProtocolBufferException e) {
                    unavailable(call, observer, e, startNanos);
                    return;
                  }
                  metrics.answered(
                      call.name, call.status(reply), nanoTime.getAsLong() - startNanos);
                  answer(observer, withToken, reply);
                });
  }

  /** Ends the call so that the caller tries another coordinator. */
  private <R extends Message> void unavailable(
      Call<R> call, StreamObserver<R> observer, Throwable cause, long startNanos) {
    metrics.answered(call.name, Status.BUSY, nanoTime.getAsLong() - startNanos);
    observer.onError(
        io.grpc.Status.UNAVAILABLE
            .withDescription(PeerText.clipped(String.valueOf(cause.getMessage()), 1000))
            .asRuntimeException());
  }

  private <R> void answer(StreamObserver<R> observer, UnaryOperator<R> withToken, R reply) {
    if (withToken == null) {
      answer(observer, reply);
    } else {
      sign(() -> answer(observer, withToken.apply(reply)));
    }
  }

  /** Runs a task on the threads for signatures, or here if these have too much to do. */
  private void sign(Runnable task) {
    try {
      signatures.execute(task);
    } catch (RejectedExecutionException e) {
      task.run();
    }
  }

  private static <R> void answer(StreamObserver<R> observer, R reply) {
    if (observer instanceof ServerCallStreamObserver<R> call && call.isCancelled()) {
      return;
    }
    observer.onNext(reply);
    observer.onCompleted();
  }
}
