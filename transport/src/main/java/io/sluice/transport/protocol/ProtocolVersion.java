package io.sluice.transport.protocol;

/**
 * The version of the data protocol that this build speaks, at both ends. A HELLO names the versions
 * that a client speaks, its reply the one that the server chose.
 */
public final class ProtocolVersion {
  public static final int CURRENT = 1;

  private ProtocolVersion() {}
}
