package io.sluice.coordinator.api;

import io.sluice.common.auth.Caller;

/**
 * A request of the REST API, however it came.
 *
 * @param method {@code GET}, {@code HEAD} or another one of HTTP
 * @param path encoded, with its prefix
 * @param query encoded; may be empty, never null
 * @param body JSON, or empty
 * @param caller as proved
 * @param peer address and port, for the log
 */
@SuppressWarnings("ArrayRecordComponent") // Bytes on their way; never compared.
public record ApiCall(
    Door door, String method, String path, String query, byte[] body, Caller caller, String peer) {

  /** Where a request comes in. */
  public enum Door {
    /** The HTTP port: anybody's browser may be made to ask it. */
    PAGES,
    /** The control port. */
    CONTROL
  }

  boolean changes() {
    return !method.equals("GET") && !method.equals("HEAD");
  }
}
