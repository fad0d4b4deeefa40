package io.sluice.common.auth;

import io.grpc.ForwardingServerCall;
import io.grpc.ForwardingServerCallListener;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.sluice.common.net.PeerConnections;
import io.sluice.proto.RegisterApplicationReply;
import io.sluice.proto.RegisterApplicationRequest;
import io.sluice.proto.RegisterShuffleReply;
import io.sluice.proto.RegisterShuffleRequest;
import io.sluice.proto.UnregisterApplicationReply;
import io.sluice.proto.UnregisterApplicationRequest;
import io.sluice.proto.UnregisterShuffleApplicationRequest;
import io.sluice.proto.UnregisterShufflesReply;
import io.sluice.proto.UnregisterShufflesRequest;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Writes every call that changes an application's state to the audit log, with its outcome. Runs
 * after {@link CallGuard}, which logs its denials itself. An entry is written when the outcome is
 * known and has at most a few kilobytes, independent of the request's size. Data streams are not
 * audited. Thread-safe.
 */
public final class AuditCalls implements ServerInterceptor {
  /** Maximum number of shuffles listed in an entry, limited by the length of its field. */
  private static final int MAX_SHUFFLES = 40;

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
        audited.request = message;
        super.onMessage(message);
      }
    };
  }

  private static String peer(ServerCall<?, ?> call) {
    return PeerConnections.text(call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR));
  }

  /** The entry without its outcome; null for calls that change nothing. */
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
      return deletion(shuffles.getApplication(), first(shuffles.getShufflesList()), peer);
    }
    if (request instanceof UnregisterShuffleApplicationRequest application) {
      return deletion(application.getApplication(), "all", peer);
    }
    return null;
  }

  private static String first(List<Integer> shuffles) {
    String text =
        shuffles.stream().limit(MAX_SHUFFLES).map(String::valueOf).collect(Collectors.joining(","));
    int more = shuffles.size() - MAX_SHUFFLES;
    return more <= 0 ? text : text + ",… and " + more + " more";
  }

  private static AuditEntry deletion(String application, String shuffles, String peer) {
    return new AuditEntry(AuditEntry.Action.DELETE, "", application, "", shuffles, peer, "");
  }

  /** A unary call: the request arrives before the reply is sent. */
  private final class AuditedCall<Q, R>
      extends ForwardingServerCall.SimpleForwardingServerCall<Q, R> {
    private volatile Object request;

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

    /** Writes the entry at the first outcome, and releases the request. */
    private void answered(String outcome, String reason) {
      Object audited = request;
      request = null;
      AuditEntry entry = audited == null ? null : entry(audited, peer(this));
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
