package io.sluice.server.control;

import io.sluice.common.auth.CallGuard;
import io.sluice.common.auth.Caller;
import io.sluice.proto.UnregisterShuffleApplicationRequest;
import io.sluice.proto.UnregisterShufflesRequest;

/**
 * Who may make which control call of a server: applications and coordinators unregister, whoever is
 * known looks, admins do everything. Immutable.
 */
public final class ControlRules implements CallGuard.Rules {
  private final boolean openReads;

  /**
   * @param openReads whether nobody needs to be known for the status
   */
  public ControlRules(boolean openReads) {
    this.openReads = openReads;
  }

  @Override
  public String refusal(Caller caller, String call, Object request) {
    if (caller.isAdmin() || caller.kind() == Caller.Kind.CLUSTER) {
      return null;
    }
    if (request instanceof UnregisterShufflesRequest shuffles) {
      return own(caller, call, shuffles.getApplication());
    }
    if (request instanceof UnregisterShuffleApplicationRequest application) {
      return own(caller, call, application.getApplication());
    }
    if (call.equals("GetStatus")) {
      return openReads || caller.kind() != Caller.Kind.NOBODY
          ? null
          : call + ": this cluster demands authentication";
    }
    return call + " is for admins, found " + caller.text();
  }

  private static String own(Caller caller, String call, String application) {
    return caller.owns(application)
        ? null
        : call + ": application " + application + " is not of " + caller.text();
  }
}
