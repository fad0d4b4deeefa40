package io.sluice.coordinator.service;

import io.sluice.common.auth.CallGuard;
import io.sluice.common.auth.Caller;
import io.sluice.common.error.PeerText;
import io.sluice.proto.RegisterApplicationRequest;
import io.sluice.proto.RegisterShuffleRequest;
import io.sluice.proto.RenewLeaseRequest;
import io.sluice.proto.UnregisterApplicationRequest;

/**
 * Who may make which call of a coordinator: users for applications of their own, servers their
 * heartbeats, whoever is known the lists, admins everything. Immutable.
 */
public final class CallRules implements CallGuard.Rules {
  private final boolean openReads;

  /**
   * @param openReads whether nobody needs to be known for the lists
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
          isKnown ? null : unknown(call);
      // Call: the API has rules of its own for each of its resources, the same as over HTTP.
      case "ListServers", "ListApplications", "Call" -> isKnown || openReads ? null : unknown(call);
      case "Heartbeat", "FindMoveTarget" ->
          caller.kind() == Caller.Kind.CLUSTER
              ? null
              : call + " is proved by the cluster's secret, found " + caller.text();
      default -> call + " is for admins, found " + caller.text();
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
      return own(caller, call, renew.getApplication());
    }
    if (request instanceof UnregisterApplicationRequest unregister) {
      return own(caller, call, unregister.getApplication());
    }
    if (request instanceof RegisterShuffleRequest shuffle) {
      return own(caller, call, shuffle.getShuffle().getApplication());
    }
    return null;
  }

  private static String register(Caller caller, String application) {
    return caller.kind() == Caller.Kind.USER && caller.owns(application)
        ? null
        : caller.text()
            + " may not register application "
            + PeerText.quoted(application)
            + ", only such whose name begins with "
            + caller.name()
            + ".";
  }

  private static String own(Caller caller, String call, String application) {
    return caller.kind() != Caller.Kind.CLUSTER && caller.owns(application)
        ? null
        : call + ": application " + PeerText.quoted(application) + " is not of " + caller.text();
  }

  private static String unknown(String call) {
    return call
        + ": this cluster demands authentication; give rss.security.user.secret.file or"
        + " RSS_USER_SECRET";
  }
}
