package io.sluice.common.audit;

import io.grpc.ForwardingServerCall;
import io.grpc.ForwardingServerCallListener;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.sluice.proto.RegisterApplicationReply;
import io.sluice.proto.RegisterApplicationRequest;
import io.sluice.proto.RegisterShuffleReply;
import io.sluice.proto.RegisterShuffleRequest;
import io.sluice.proto.UnregisterApplicationReply;
import io.sluice.proto.UnregisterApplicationRequest;
import io.sluice.proto.UnregisterShuffleApplicationRequest;
import io.sluice.proto.UnregisterShufflesReply;
import io.sluice.proto.UnregisterShufflesRequest;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.stream.Collectors;

/**
 * Writes every call that changes something for an application to the audit log, with its outcome;
 * to be the outermost interceptor, so that it sees what others refuse. Data streams pass untouched.
 * Thread-safe.
 */
public final class AuditCalls implements ServerInterceptor {
  private final AuditLog audit;

  public AuditCalls(AuditLog audit) {
    this.audit = audit;
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    if (call.getMethodDescriptor().getType() != MethodType.UNARY) {
      return next.startCall(call, headers);
    }
    AuditedCall<Q, R> audited = new AuditedCall<>(call);
    return new ForwardingServerCallListener.SimpleForwardingServerCallListener<>(
        next.startCall(audited, headers)) {
      @Override
      public void onMessage(Q message) {
        audited.asked = entry(message, peer(call));
        super.onMessage(message);
      }
    };
  }

  /** Address and port of the caller. */
  private static String peer(ServerCall<?, ?> call) {
    SocketAddress address = call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
    return address instanceof InetSocketAddress inet && inet.getAddress() != null
        ? inet.getAddress().getHostAddress() + ":" + inet.getPort()
        : String.valueOf(address);
  }

  /** What is to be written once the outcome is known; null for calls that change nothing. */
  private static AuditEntry entry(Object request, String peer) {
    if (request instanceof RegisterApplicationRequest register) {
      return new AuditEntry(
          AuditEntry.Action.REGISTER,
          "",
          register.getApplication(),
          register.getUser(),
          "",
          peer,
          "");
    }
    if (request instanceof UnregisterApplicationRequest unregister) {
      return new AuditEntry(
          AuditEntry.Action.UNREGISTER, "", unregister.getApplication(), "", "", peer, "");
    }
    if (request instanceof RegisterShuffleRequest shuffle) {
      return new AuditEntry(
          AuditEntry.Action.ASSIGN,
          "",
          shuffle.getShuffle().getApplication(),
          "",
          Integer.toString(shuffle.getShuffle().getShuffle()),
          peer,
          "");
    }
    if (request instanceof UnregisterShufflesRequest shuffles) {
      return deletion(
          shuffles.getApplication(),
          shuffles.getShufflesList().stream().map(String::valueOf).collect(Collectors.joining(",")),
          peer);
    }
    if (request instanceof UnregisterShuffleApplicationRequest application) {
      return deletion(application.getApplication(), "all", peer);
    }
    return null;
  }

  private static AuditEntry deletion(String application, String shuffles, String peer) {
    return new AuditEntry(AuditEntry.Action.DELETE, "", application, "", shuffles, peer, "");
  }

  /** Its request is known before its reply: all these calls have one of each. */
  private final class AuditedCall<Q, R>
      extends ForwardingServerCall.SimpleForwardingServerCall<Q, R> {
    private volatile AuditEntry asked;

    AuditedCall(ServerCall<Q, R> call) {
      super(call);
    }

    @Override
    public void sendMessage(R reply) {
      if (reply instanceof RegisterApplicationReply register) {
        answered(register.getStatus().name(), register.getMessage());
      } else if (reply instanceof UnregisterApplicationReply unregister) {
        answered(unregister.getStatus().name(), unregister.getMessage());
      } else if (reply instanceof RegisterShuffleReply shuffle) {
        answered(shuffle.getStatus().name(), shuffle.getMessage());
      } else if (reply instanceof UnregisterShufflesReply shuffles) {
        answered(shuffles.getStatus().name(), shuffles.getMessage());
      }
      super.sendMessage(reply);
    }

    @Override
    public void close(Status status, Metadata trailers) {
      if (!status.isOk()) {
        answered(
            status.getCode().name(),
            status.getDescription() == null ? "" : status.getDescription());
      }
      super.close(status, trailers);
    }

    /** Only the first answer counts. */
    private void answered(String outcome, String reason) {
      AuditEntry entry = asked;
      asked = null;
      if (entry != null) {
        audit.write(
            new AuditEntry(
                entry.action(),
                outcome,
                entry.application(),
                entry.user(),
                entry.shuffle(),
                entry.peer(),
                reason));
      }
    }
  }
}
