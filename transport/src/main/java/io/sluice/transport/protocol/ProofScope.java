package io.sluice.transport.protocol;

import java.util.Arrays;

/**
 * Kind of connection for which the proofs of a handshake are valid. Without it, a process that
 * listens in place of a server could forward a client's handshake to the server, and use the
 * connection as that client. Immutable.
 */
public final class ProofScope {
  /** Connections to the data port. */
  public static final ProofScope DATA = new ProofScope(null);

  private final byte[] socketIdentity;

  private ProofScope(byte[] socketIdentity) {
    this.socketIdentity = socketIdentity;
  }

  /**
   * Connections to one Unix domain socket: its identity is an additional last part of each proof.
   *
   * @param identity see {@code io.sluice.common.file.SocketIdentity}
   */
  public static ProofScope ofSocket(byte[] identity) {
    return new ProofScope(identity.clone());
  }

  /** Signed parts that are valid in this scope only. */
  byte[][] of(byte[]... parts) {
    if (socketIdentity == null) {
      return parts;
    }
    byte[][] more = Arrays.copyOf(parts, parts.length + 1);
    more[parts.length] = socketIdentity;
    return more;
  }
}
