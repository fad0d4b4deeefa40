package io.sluice.coordinator.api;

import io.sluice.common.auth.Caller;
import java.util.function.BooleanSupplier;

/**
 * Permissions of the REST API. Immutable.
 *
 * <ul>
 *   <li>Reads: authenticated callers; all callers if authentication is not required or anonymous
 *       reads are enabled.
 *   <li>Inspections, which show paths and addresses: admins; all callers if authentication is not
 *       required.
 *   <li>Mutations: admins. If authentication is not required, all callers of the control port. Over
 *       HTTP admins only, because a page of any origin could make a browser send the request.
 * </ul>
 *
 * @param required whether authentication is required
 * @param openReads whether reads need no authentication
 * @param tokens whether users are configured, so that callers can authenticate
 */
public record ApiAccess(boolean required, boolean openReads, BooleanSupplier tokens) {
  private static final int UNAUTHORIZED = 401;
  private static final int FORBIDDEN = 403;

  /** What a request needs. */
  enum Right {
    READ,
    INSPECT,
    CHANGE
  }

  boolean mayRead(Caller caller) {
    return openReads || caller.kind() != Caller.Kind.ANONYMOUS;
  }

  boolean mayChange(ApiCall call) {
    return call.caller().isAdmin() || (call.port() == ApiCall.Port.CONTROL && !required);
  }

  private boolean may(ApiCall call, Right right) {
    return switch (right) {
      case READ -> mayRead(call.caller());
      case INSPECT -> call.caller().isAdmin() || !required;
      case CHANGE -> mayChange(call);
    };
  }

  /**
   * Checks the permission of the caller.
   *
   * @throws ApiException 401: authentication is missing; 403: the caller lacks the permission
   */
  void check(ApiCall call, Right right) throws ApiException {
    Caller caller = call.caller();
    if (call.port() == ApiCall.Port.COORDINATOR) {
      return;
    }
    if (may(call, right)) {
      return;
    }
    if (caller.kind() != Caller.Kind.ANONYMOUS) {
      throw new ApiException(
          FORBIDDEN, "permission denied: expected an admin, found " + caller.text());
    }
    if (!tokens.getAsBoolean()) {
      throw new ApiException(
          FORBIDDEN,
          right != Right.CHANGE
              ? "authentication is required, but this coordinator has no users: set"
                  + " rss.security.users.file"
              : "changes over HTTP need authentication, but this coordinator has no users: use"
                  + " `sluice admin`, or set rss.security.users.file");
    }
    throw new ApiException(
        UNAUTHORIZED,
        "authentication required: "
            + (call.port() == ApiCall.Port.HTTP
                ? "send Authorization: Bearer USER:SECRET"
                : "set RSS_USER and RSS_USER_SECRET_FILE in the environment"));
  }
}
