package io.sluice.common.auth;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.sluice.common.auth.DeniedCall.Cause;
import io.sluice.common.error.SluiceException;
import io.sluice.common.net.PeerConnections;
import io.sluice.proto.CallProof;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Authenticates and authorizes control calls. A refused call ends with UNAUTHENTICATED (invalid
 * proof) or PERMISSION_DENIED and never reaches the service. Decisions that depend only on caller
 * and method use the headers; the request of a call refused in this way is neither read nor
 * buffered. Thread-safe.
 */
public final class CallGuard implements ServerInterceptor {
  private final CallAuthenticator authenticator;
  private final boolean required;
  private final Set<String> open;
  private final Rules rules;
  private final CallDenials denials;
  private final Executor signatures;

  /** Authorization rules. */
  public interface Rules {
    /**
     * Checks the headers of a call.
     *
     * @param call name of the method, without the service
     * @return one-line reason to refuse the call independent of its request, or null
     */
    String refusal(Caller caller, String call);

    /**
     * Checks the request of a call whose headers were accepted.
     *
     * @param call name of the method, without the service
     * @return one-line reason to refuse the call, or null
     */
    String refusal(Caller caller, String call, Object request);
  }

  /**
   * @param required whether the rules are enforced; otherwise callers are only identified
   * @param open full names of services without authentication, or with their own
   * @param denials receives denied calls
   * @param signatures verifies and creates signatures, each for about a millisecond; a call that it
   *     rejects ends with UNAVAILABLE
   */
  public CallGuard(
      CallAuthenticator authenticator,
      boolean required,
      Set<String> open,
      Rules rules,
      CallDenials denials,
      Executor signatures) {
    this.authenticator = authenticator;
    this.required = required;
    this.open = Set.copyOf(open);
    this.rules = rules;
    this.denials = denials;
    this.signatures = signatures;
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    if (open.contains(call.getMethodDescriptor().getServiceName())) {
      return next.startCall(call, headers);
    }
    CallProof proof;
    try {
      proof = headers.get(CallProofs.PROOF);
    } catch (IllegalArgumentException e) {
      end(
          call,
          Cause.UNAUTHENTICATED,
          Caller.ANONYMOUS,
          "the proof in the headers cannot be parsed");
      return new ServerCall.Listener<>() {};
    }
    Context context = Context.current();
    if (proof == null || !CallAuthenticator.isSigned(proof)) {
      return guarded(context, proof, call, headers, next);
    }
    DeferredListener<Q> deferred = new DeferredListener<>();
    try {
      signatures.execute(() -> deferred.start(guarded(context, proof, call, headers, next)));
    } catch (RejectedExecutionException e) {
      call.close(
          Status.UNAVAILABLE.withDescription("too many callers prove their identity; retry later"),
          new Metadata());
    }
    return deferred;
  }

  /**
   * Authenticates the caller, and passes a permitted call to the service.
   *
   * @param proof null: none
   */
  private <Q, R> ServerCall.Listener<Q> guarded(
      Context context,
      CallProof proof,
      ServerCall<Q, R> call,
      Metadata headers,
      ServerCallHandler<Q, R> next) {
    String method = call.getMethodDescriptor().getFullMethodName();
    ServerCall<Q, R> answering = call;
    Caller caller;
    try {
      if (proof == null) {
        Optional<String> certified = certified(call);
        caller =
            certified.isPresent() ? authenticator.ofCertificate(certified.get()) : Caller.ANONYMOUS;
      } else {
        CallAuthenticator.Authenticated found = authenticator.authenticate(proof, method);
        caller = found.caller();
        answering = ReplyProofs.proving(call, found.replyProof().toByteArray());
      }
    } catch (SluiceException e) {
      end(call, Cause.UNAUTHENTICATED, Caller.ANONYMOUS, e.getMessage());
      return new ServerCall.Listener<>() {};
    }
    String why =
        required ? rules.refusal(caller, call.getMethodDescriptor().getBareMethodName()) : null;
    if (why != null) {
      end(call, Cause.PERMISSION_DENIED, caller, why);
      return new ServerCall.Listener<>() {};
    }
    ServerCall.Listener<Q> listener =
        Contexts.interceptCall(context.withValue(Caller.CONTEXT, caller), answering, headers, next);
    return required ? new Guarded<>(listener, call, caller) : listener;
  }

  private static Optional<String> certified(ServerCall<?, ?> call) {
    return PeerCertificates.user(call.getAttributes().get(Grpc.TRANSPORT_ATTR_SSL_SESSION));
  }

  private void end(ServerCall<?, ?> call, Cause cause, Caller caller, String why) {
    denials.denied(
        new DeniedCall(
            cause,
            call.getMethodDescriptor().getFullMethodName(),
            caller.kind() == Caller.Kind.ANONYMOUS ? "" : caller.text(),
            PeerConnections.text(call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR)),
            why));
    Status status =
        cause == Cause.UNAUTHENTICATED ? Status.UNAUTHENTICATED : Status.PERMISSION_DENIED;
    call.close(status.withDescription(why), new Metadata());
  }

  /** Checks the request against the rules before it is passed to the service. */
  private final class Guarded<Q> extends SimpleForwardingServerCallListener<Q> {
    private final ServerCall<Q, ?> call;
    private final Caller caller;
    private boolean refused;

    private Guarded(ServerCall.Listener<Q> next, ServerCall<Q, ?> call, Caller caller) {
      super(next);
      this.call = call;
      this.caller = caller;
    }

    @Override
    public void onMessage(Q request) {
      if (refused) {
        return;
      }
      String why = rules.refusal(caller, call.getMethodDescriptor().getBareMethodName(), request);
      if (why == null) {
        super.onMessage(request);
        return;
      }
      refused = true;
      end(call, Cause.PERMISSION_DENIED, caller, why);
    }

    @Override
    public void onHalfClose() {
      if (!refused) {
        super.onHalfClose();
      }
    }
  }
}
