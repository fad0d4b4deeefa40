package io.sluice.server.remote.spi;

import java.nio.file.Path;
import java.util.Optional;

/**
 * A login from a keytab.
 *
 * @param principal such as {@code sluice/host@REALM}
 * @param krb5Configuration replaces the system's {@code krb5.conf}
 * @param reloginMs how often the ticket is looked at, and renewed when most of its life is over
 */
public record KerberosSettings(
    String principal, Path keytab, Optional<Path> krb5Configuration, long reloginMs) {
  public KerberosSettings {
    if (reloginMs < 1) {
      throw new IllegalArgumentException("relogin every " + reloginMs + " ms, at least 1");
    }
  }
}
