package io.sluice.server.cluster;

import io.sluice.common.auth.CallGuard;
import io.sluice.common.auth.Caller;
import io.sluice.common.error.PeerText;
import io.sluice.proto.UnregisterShuffleApplicationRequest;
import io.sluice.proto.UnregisterShufflesRequest;

/**
 * Access rules of the control calls: applications and coordinators may unregister, authenticated
 * callers may read the status, admins may make all calls. Immutable.
 */
public final class ControlRules implements CallGuard.Rules {
  private final boolean openReads;

  /**
   * @param openReads whether the status may be read without authentication
   */
  public ControlRules(boolean openReads) {
    this.openReads = openReads;
  }

  @Override
  public String refusal(Caller caller, String call) {
    if (caller.isAdmin() || caller.kind() == Caller.Kind.COORDINATOR) {
      return null;
    }
    boolean isKnown = caller.kind() != Caller.Kind.ANONYMOUS;
    return switch (call) {
      case "UnregisterShuffles", "UnregisterShuffleApplication" -> isKnown ? null : unknown(call);
      case "GetStatus" -> isKnown || openReads ? null : unknown(call);
      default -> call + " is permitted for admins only, not for " + caller.text();
    };
  }

  @Override
  public String refusal(Caller caller, String call, Object request) {
    if (request instanceof UnregisterShufflesRequest shuffles) {
      return own(caller, call, shuffles.getApplication());
    }
    if (request instanceof UnregisterShuffleApplicationRequest application) {
      return own(caller, call, application.getApplication());
    }
    return null;
  }

  private static String own(Caller caller, String call, String application) {
    return caller.owns(application)
        ? null
        : call
            + ": application "
            + PeerText.quoted(application)
            + " does not belong to "
            + caller.text();
  }

  private static String unknown(String call) {
    return call + ": this cluster requires authentication";
  }
}
