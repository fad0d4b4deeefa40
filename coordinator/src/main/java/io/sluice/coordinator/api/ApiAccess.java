package io.sluice.coordinator.api;

import io.sluice.common.auth.Caller;
import java.util.function.BooleanSupplier;

/**
 * Who may ask the REST API for what. Whoever has proved to be somebody may look, and everybody may
 * where authentication is not demanded, or anonymous reading is allowed. Changes are for admins;
 * where authentication is not demanded, whoever reaches the control port may change things as ever,
 * but nobody over HTTP: a page from anywhere could make a browser ask. Immutable.
 *
 * @param required whether callers have to prove who they are
 * @param openReads whether everybody may look
 * @param tokens whether there are users who could prove themselves
 */
public record ApiAccess(boolean required, boolean openReads, BooleanSupplier tokens) {
  private static final int UNAUTHORIZED = 401;
  private static final int FORBIDDEN = 403;

  boolean mayRead(Caller caller) {
    return openReads || caller.kind() != Caller.Kind.ANONYMOUS;
  }

  boolean mayChange(ApiCall call) {
    return call.caller().isAdmin() || (call.door() == ApiCall.Door.CONTROL && !required);
  }

  /**
   * Lets a request through or not.
   *
   * @throws ApiException 401: prove who you are; 403: you may not
   */
  void check(ApiCall call) throws ApiException {
    Caller caller = call.caller();
    if (call.changes() ? mayChange(call) : mayRead(caller)) {
      return;
    }
    if (caller.kind() != Caller.Kind.ANONYMOUS) {
      throw new ApiException(FORBIDDEN, "this is for admins, found " + caller.text());
    }
    if (!tokens.getAsBoolean()) {
      throw new ApiException(
          FORBIDDEN,
          !call.changes()
              ? "this cluster demands authentication, and this coordinator knows no users: give it"
                  + " rss.security.users.file"
              : "without users nothing is changed over HTTP: use `sluice admin`, or give the"
                  + " coordinator rss.security.users.file");
    }
    throw new ApiException(
        UNAUTHORIZED,
        "prove who you are: "
            + (call.door() == ApiCall.Door.PAGES
                ? "Authorization: Bearer USER.SECRET"
                : "RSS_USER and RSS_USER_SECRET_FILE in the environment"));
  }
}
