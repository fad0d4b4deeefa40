package io.sluice.common.auth;

import com.google.protobuf.ByteString;
import io.sluice.common.error.SluiceException;
import java.time.Clock;
import java.util.function.Supplier;

/**
 * Identity of this process and authorities of its cluster, read on each use, so that changed files
 * take effect at once. Thread-safe.
 */
public final class OwnIdentity {
  private final Supplier<Identity> identity;
  private final Supplier<Authorities> authorities;
  private final Clock clock;

  public OwnIdentity(Supplier<Identity> identity, Supplier<Authorities> authorities, Clock clock) {
    this.identity = identity;
    this.authorities = authorities;
    this.clock = clock;
  }

  /** The present identity. */
  public Identity identity() {
    return identity.get();
  }

  Authorities authorities() {
    return authorities.get();
  }

  /**
   * Verifies the certificate of another process.
   *
   * @throws SluiceException DENIED
   */
  ProcessCertificate verify(ByteString der) throws SluiceException {
    return authorities.get().verify(der, nowMs());
  }

  /** Milliseconds since 1970. */
  long nowMs() {
    return clock.millis();
  }

  /**
   * Verifies the own identity.
   *
   * @throws SluiceException DENIED if other processes would refuse it
   */
  void check(ProcessRole expected) throws SluiceException {
    verify(identity().certificate().der()).require(expected);
  }

  @Override
  public String toString() {
    return identity.get() + ", authorities " + authorities.get();
  }
}
