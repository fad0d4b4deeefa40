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
import io.sluice.common.error.StatusCode;
import io.sluice.common.net.PeerConnections;
import java.util.Optional;
import java.util.Set;

/**
 * Lets control calls through to those who may make them. A call of somebody else ends with
 * UNAUTHENTICATED (a proof that is none) or PERMISSION_DENIED; it never reaches the service. What
 * caller and method decide is decided from the headers: the request of such a call is not asked
 * for, so that it is neither gathered nor read. Thread-safe.
 */
public final class CallGuard implements ServerInterceptor {
  private final CallAuthenticator authenticator;
  private final boolean required;
  private final Set<String> open;
  private final Rules rules;
  private final CallDenials denials;

  /** Who may make which call. */
  public interface Rules {
    /**
     * Looks at the headers of a call.
     *
     * @param call name of the method, without the service's
     * @return why the caller may not make it whatever the request says, in one line, or null
     */
    String refusal(Caller caller, String call);

    /**
     * Looks at the request of a call whose headers were not refused.
     *
     * @param call name of the method, without the service's
     * @return why the caller may not, in one line, or null
     */
    String refusal(Caller caller, String call, Object request);
  }

  /**
   * @param required whether the rules hold; else they hold for nobody, and callers that prove
   *     themselves are known
   * @param open full names of services that are open to everybody, or guard themselves
   * @param denials hears of calls that were ended
   */
  public CallGuard(
      CallAuthenticator authenticator,
      boolean required,
      Set<String> open,
      Rules rules,
      CallDenials denials) {
    this.authenticator = authenticator;
    this.required = required;
    this.open = Set.copyOf(open);
    this.rules = rules;
    this.denials = denials;
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    if (open.contains(call.getMethodDescriptor().getServiceName())) {
      return next.startCall(call, headers);
    }
    Caller caller;
    try {
      caller = caller(call, headers);
    } catch (SluiceException e) {
      end(call, Cause.UNAUTHENTICATED, Caller.NOBODY, e.getMessage());
      return new ServerCall.Listener<>() {};
    }
    String why =
        required ? rules.refusal(caller, call.getMethodDescriptor().getBareMethodName()) : null;
    if (why != null) {
      end(call, Cause.PERMISSION_DENIED, caller, why);
      return new ServerCall.Listener<>() {};
    }
    Context context = Context.current().withValue(Caller.CONTEXT, caller);
    ServerCall.Listener<Q> listener =
        Contexts.interceptCall(context, ReplyProofs.proving(call, headers, caller), headers, next);
    return required ? new Guarded<>(listener, call, caller) : listener;
  }

  private Caller caller(ServerCall<?, ?> call, Metadata headers) throws SluiceException {
    io.sluice.proto.CallProof proof;
    try {
      proof = headers.get(CallProofs.PROOF);
    } catch (IllegalArgumentException e) {
      throw new SluiceException(StatusCode.DENIED, "a proof that cannot be read", e);
    }
    if (proof != null) {
      return authenticator.authenticate(proof, call.getMethodDescriptor().getFullMethodName());
    }
    Optional<String> certified = certified(call);
    return certified.isPresent() ? authenticator.ofCertificate(certified.get()) : Caller.NOBODY;
  }

  private static Optional<String> certified(ServerCall<?, ?> call) {
    return PeerCertificates.user(call.getAttributes().get(Grpc.TRANSPORT_ATTR_SSL_SESSION));
  }

  private void end(ServerCall<?, ?> call, Cause cause, Caller caller, String why) {
    denials.denied(
        new DeniedCall(
            cause,
            call.getMethodDescriptor().getFullMethodName(),
            caller.kind() == Caller.Kind.NOBODY ? "" : caller.text(),
            PeerConnections.text(call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR)),
            why));
    Status status =
        cause == Cause.UNAUTHENTICATED ? Status.UNAUTHENTICATED : Status.PERMISSION_DENIED;
    call.close(status.withDescription(why), new Metadata());
  }

  /** Asks the rules when the request is there, and before the service sees it. */
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
