package io.sluice.coordinator.service;

import io.sluice.common.auth.CallGuard;
import io.sluice.common.auth.Caller;
import io.sluice.common.auth.Role;
import io.sluice.common.config.HostPort;
import io.sluice.common.config.HostText;
import io.sluice.common.error.PeerText;
import io.sluice.proto.HeartbeatRequest;
import io.sluice.proto.MoveTargetRequest;
import io.sluice.proto.RegisterApplicationRequest;
import io.sluice.proto.RegisterShuffleRequest;
import io.sluice.proto.RenewLeaseRequest;
import io.sluice.proto.ServerId;
import io.sluice.proto.UnregisterApplicationRequest;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Permissions of the coordinator's gRPC calls. Drivers call as their users: the token of an
 * application, which every task has, is not enough, so that a user who is removed loses the lease.
 * Servers may send heartbeats, authenticated callers may read lists, admins may call everything
 * except the calls between coordinators. Immutable.
 */
public final class CallRules implements CallGuard.Rules {
  private static final Set<String> BETWEEN_COORDINATORS =
      Set.of("Replicate", "Forward", "Membership");

  private final boolean openReads;
  private final UnaryOperator<String> certificateName;

  /**
   * @param openReads whether lists need no authentication
   * @param certificateName maps the host of a server to the name in its certificate
   */
  public CallRules(boolean openReads, UnaryOperator<String> certificateName) {
    this.openReads = openReads;
    this.certificateName = certificateName;
  }

  @Override
  public String refusal(Caller caller, String call) {
    if (caller.isAdmin() && !BETWEEN_COORDINATORS.contains(call)) {
      return null;
    }
    boolean isKnown = caller.kind() != Caller.Kind.ANONYMOUS;
    return switch (call) {
      case "RegisterApplication",
          "RenewLease",
          "UnregisterApplication",
          "RegisterShuffle",
          "ClientConfiguration" ->
          isKnown ? driver(caller, call) : unauthenticated(call);
      // Call: ApiAccess checks the permissions of each resource, as over HTTP.
      case "ListServers", "ListApplications", "Call" ->
          isKnown || openReads ? null : unauthenticated(call);
      case "Heartbeat", "FindMoveTarget" ->
          caller.kind() == Caller.Kind.SERVER
              ? null
              : call + " needs the identity of a server, found " + caller.text();
      case "Replicate", "Forward", "Membership" ->
          caller.kind() == Caller.Kind.COORDINATOR
              ? null
              : call + " needs the identity of a coordinator, found " + caller.text();
      default -> call + ": permission denied: expected an admin, found " + caller.text();
    };
  }

  @Override
  public String refusal(Caller caller, String call, Object request) {
    if (caller.isAdmin()) {
      return null;
    }
    if (request instanceof RegisterApplicationRequest register) {
      return register(caller, register.getApplication());
    }
    if (request instanceof RenewLeaseRequest renew) {
      return ownerOnly(caller, call, renew.getApplication());
    }
    if (request instanceof UnregisterApplicationRequest unregister) {
      return ownerOnly(caller, call, unregister.getApplication());
    }
    if (request instanceof RegisterShuffleRequest shuffle) {
      return ownerOnly(caller, call, shuffle.getShuffle().getApplication());
    }
    if (request instanceof HeartbeatRequest heartbeat) {
      ServerId server = heartbeat.getServer();
      return serverOnly(
          caller,
          call,
          server.getName(),
          server.getHost(),
          server.getName().equals(HostText.withPort(server.getHost(), server.getRpcPort())));
    }
    if (request instanceof MoveTargetRequest move) {
      return serverOnly(caller, call, move.getFrom(), host(move.getFrom()), true);
    }
    return null;
  }

  private static String driver(Caller caller, String call) {
    return caller.kind() == Caller.Kind.USER && caller.role() != Role.READER
        ? null
        : call
            + " needs the proof of a user who may register applications, found "
            + caller.text()
            + (caller.kind() == Caller.Kind.USER ? ", who only looks" : "");
  }

  /** A server acts in its own name: its certificate lists its host. */
  private String serverOnly(
      Caller caller, String call, String name, String host, boolean isNameOfHost) {
    return isNameOfHost && !host.isEmpty() && caller.isAt(certificateName.apply(host))
        ? null
        : call
            + ": "
            + caller.text()
            + " may not act as server "
            + PeerText.quoted(name)
            + ": its certificate must list the host, and the name must be HOST:PORT";
  }

  /** The host in the name of a server; empty if it has none. */
  private static String host(String server) {
    try {
      return HostPort.parse(server).host();
    } catch (IllegalArgumentException e) {
      return "";
    }
  }

  private static String register(Caller caller, String application) {
    return caller.owns(application)
        ? null
        : caller.text()
            + " may not register application "
            + PeerText.quoted(application)
            + ", only applications whose id begins with "
            + caller.name()
            + "~";
  }

  private static String ownerOnly(Caller caller, String call, String application) {
    return caller.owns(application)
        ? null
        : call
            + ": application "
            + PeerText.quoted(application)
            + " does not belong to"
            + " "
            + caller.text();
  }

  private static String unauthenticated(String call) {
    return call
        + ": this cluster requires authentication: set rss.security.user.secret.file or"
        + " RSS_USER_SECRET";
  }
}
