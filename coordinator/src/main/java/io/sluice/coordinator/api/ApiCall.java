package io.sluice.coordinator.api;

import io.sluice.common.auth.Caller;

/**
 * A request of the REST API, over HTTP or the control port.
 *
 * @param method HTTP method, such as {@code GET}
 * @param path URL-encoded path with prefix
 * @param query URL-encoded query; may be empty, never null
 * @param body JSON; may be empty
 * @param caller the authenticated caller
 * @param peer address and port of the client, for the audit log
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
public record ApiCall(
    Port port, String method, String path, String query, byte[] body, Caller caller, String peer) {

  /** Port that received the request. */
  public enum Port {
    /** The HTTP port. Pages of any origin can make a browser send requests to it. */
    HTTP,
    /** The gRPC port. */
    CONTROL,
    /** The gRPC port of the leader; another coordinator has checked the caller's permission. */
    COORDINATOR
  }

  boolean isMutation() {
    return !method.equals("GET") && !method.equals("HEAD");
  }
}
