package io.sluice.server.remote.spi;

import java.nio.file.Path;
import java.util.Optional;

/**
 * A login from a keytab.
 *
 * @param principal such as {@code sluice/host@REALM}
 * @param krb5Configuration replaces the default {@code krb5.conf}
 * @param reloginMs interval of checks of the ticket, which is renewed before it expires
 */
public record KerberosSettings(
    String principal, Path keytab, Optional<Path> krb5Configuration, long reloginMs) {
  public KerberosSettings {
    if (reloginMs < 1) {
      throw new IllegalArgumentException("reloginMs must be at least 1: " + reloginMs + "");
    }
  }
}
