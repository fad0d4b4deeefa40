package io.sluice.transport.protocol;

/**
 * The version of the data protocol that this build supports. HELLO has the versions that the client
 * supports, HELLO_REPLY the version that the server chose.
 */
public final class ProtocolVersion {
  public static final int CURRENT = 1;

  private ProtocolVersion() {}
}
