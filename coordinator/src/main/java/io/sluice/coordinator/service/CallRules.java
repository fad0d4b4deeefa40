package io.sluice.coordinator.service;

import io.sluice.common.auth.CallGuard;
import io.sluice.common.auth.Caller;
import io.sluice.common.error.PeerText;
import io.sluice.proto.RegisterApplicationRequest;
import io.sluice.proto.RegisterShuffleRequest;
import io.sluice.proto.RenewLeaseRequest;
import io.sluice.proto.UnregisterApplicationRequest;

/**
 * Permissions of the coordinator's gRPC calls. Users may call for their applications, servers may
 * send heartbeats, authenticated callers may read lists, admins may call everything. Immutable.
 */
public final class CallRules implements CallGuard.Rules {
  private final boolean openReads;

  /**
   * @param openReads whether lists need no authentication
   */
  public CallRules(boolean openReads) {
    this.openReads = openReads;
  }

  @Override
  public String refusal(Caller caller, String call) {
    if (caller.isAdmin()) {
      return null;
    }
    boolean isKnown = caller.kind() != Caller.Kind.ANONYMOUS;
    return switch (call) {
      case "RegisterApplication",
          "RenewLease",
          "UnregisterApplication",
          "RegisterShuffle",
          "ClientConfiguration" ->
          isKnown ? null : unauthenticated(call);
      // Call: ApiAccess checks the permissions of each resource, as over HTTP.
      case "ListServers", "ListApplications", "Call" ->
          isKnown || openReads ? null : unauthenticated(call);
      case "Heartbeat", "FindMoveTarget" ->
          caller.kind() == Caller.Kind.CLUSTER
              ? null
              : call + " needs the cluster's secret, found " + caller.text();
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
    return null;
  }

  private static String register(Caller caller, String application) {
    return caller.kind() == Caller.Kind.USER && caller.owns(application)
        ? null
        : caller.text()
            + " may not register application "
            + PeerText.quoted(application)
            + ", only applications whose id begins with "
            + caller.name()
            + "~";
  }

  private static String ownerOnly(Caller caller, String call, String application) {
    return caller.kind() != Caller.Kind.CLUSTER && caller.owns(application)
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
