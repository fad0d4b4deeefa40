package io.sluice.common.auth;

import io.sluice.common.error.SluiceException;
import io.sluice.common.test.SettableClock;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * Identities and credential of the golden files (docs/formats.md). Their private keys are public
 * and belong to no real cluster.
 */
public final class GoldenCluster {
  /** Host of the server. */
  public static final String SERVER_HOST = "10.0.0.11";

  private GoldenCluster() {}

  static byte[] file(String name) {
    try (InputStream in = GoldenCluster.class.getResourceAsStream("/golden/" + name)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String text(String name) {
    return new String(file(name), StandardCharsets.US_ASCII);
  }

  static Authorities authorities() {
    return Authorities.parse(text("authority-v1.pem"));
  }

  static Identity identity(ProcessRole role) {
    return Identity.parse(text(role.text() + "-v1.pem"));
  }

  /** A process at the time when the credential was issued. */
  public static OwnIdentity process(ProcessRole role) {
    Identity identity = identity(role);
    Authorities authorities = authorities();
    return new OwnIdentity(() -> identity, () -> authorities, new SettableClock());
  }

  /** Credential of application {@code alice~app-202} of user {@code alice}. */
  public static ApplicationCredential credential() throws SluiceException {
    return ApplicationCredential.fromBytes(file("credential-v2.bin"));
  }
}
