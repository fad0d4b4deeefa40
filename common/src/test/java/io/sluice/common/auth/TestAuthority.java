package io.sluice.common.auth;

import com.google.protobuf.ByteString;
import io.sluice.common.error.SluiceException;
import io.sluice.common.tls.CertificateAuthority;
import io.sluice.common.tls.CertificateAuthority.Validity;
import io.sluice.common.tls.PemFiles;
import io.sluice.common.tls.TlsConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An authority for tests, and the identities, tokens and credentials of its cluster. Its
 * certificates are valid from the year 2000 to 2090, so that tests can use any clock.
 */
public final class TestAuthority {
  /** Hosts of each identity, unless a test names others. */
  private static final String[] LOOPBACK = {"127.0.0.1", "::1", "localhost"};

  private static final Validity ALWAYS =
      new Validity(Instant.parse("2000-01-01T00:00:00Z"), Instant.parse("2090-01-01T00:00:00Z"));

  private final SecureRandom random = new SecureRandom();
  private final CertificateAuthority authority =
      CertificateAuthority.create("test", ALWAYS, random);
  private final Authorities authorities = Authorities.parse(authority.certificatePem());
  private final Clock clock;
  private final Revocations revocations;
  private final OwnIdentity coordinator;

  public TestAuthority() {
    this(Clock.systemUTC());
  }

  /**
   * @param clock of the processes with these identities
   */
  public TestAuthority(Clock clock) {
    this.clock = clock;
    this.revocations = new Revocations(clock);
    this.coordinator = process(ProcessRole.COORDINATOR);
  }

  /** Certificate of the authority. */
  public String authorityPem() {
    return authority.certificatePem();
  }

  Authorities authorities() {
    return authorities;
  }

  /** Text of a new identity. */
  public String identityPem(ProcessRole role, String... hosts) {
    return Identity.create(
        authority,
        role,
        "test-" + role.text(),
        List.of(hosts.length == 0 ? LOOPBACK : hosts),
        ALWAYS);
  }

  /** A process with a new identity. */
  public OwnIdentity process(ProcessRole role, String... hosts) {
    Identity identity = Identity.parse(identityPem(role, hosts));
    return new OwnIdentity(() -> identity, () -> authorities, clock);
  }

  /** Verifies tokens in a new server. */
  public TokenVerifier verifier(String... hosts) {
    return verifier(process(ProcessRole.SERVER, hosts));
  }

  /** Verifies tokens in a process. */
  public TokenVerifier verifier(OwnIdentity process) {
    return new TokenVerifier(process, revocations);
  }

  /** Revocations that its verifiers know. */
  public Revocations revocations() {
    return revocations;
  }

  /** A credential of an application, with a token of a coordinator and a new key. */
  public ApplicationCredential issue(String application, String user, long lifetimeMs) {
    return issue(coordinator, application, user, lifetimeMs);
  }

  /**
   * As {@link #issue(String, String, long)}, with a token of any process.
   *
   * @param issuer process that signs the token
   */
  public ApplicationCredential issue(
      OwnIdentity issuer, String application, String user, long lifetimeMs) {
    ApplicationKey key = ApplicationKey.generate(random);
    byte[] token =
        new TokenIssuer(issuer, random)
            .issue(application, user, ByteString.copyFrom(key.publicKey()), lifetimeMs);
    try {
      return ApplicationCredential.of(ByteString.copyFrom(token), key, authorities);
    } catch (SluiceException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Grants tokens in a coordinator. */
  public TokenGrants grants(long lifetimeMs) {
    return new TokenGrants(new TokenIssuer(coordinator, random), coordinator, lifetimeMs);
  }

  /**
   * Writes the files of a process with a new identity.
   *
   * @return the configuration keys that name the files
   */
  public Map<String, String> files(Path directory, ProcessRole role, String... hosts)
      throws IOException {
    Path identity =
        PemFiles.writeSecret(directory.resolve(role.text() + ".pem"), identityPem(role, hosts));
    Path trusted = PemFiles.writeSecret(directory.resolve("authority.pem"), authorityPem());
    return Map.of(
        SecurityConfig.IDENTITY_FILE.name(), identity.toString(),
        SecurityConfig.AUTHORITY_FILE.name(), trusted.toString());
  }

  /**
   * Security of a process with a new identity.
   *
   * @param users file of users
   */
  public ClusterSecurity security(
      Path directory, ProcessRole role, boolean required, Optional<Path> users, TlsConfig tls)
      throws IOException {
    Map<String, String> files = files(directory, role);
    return ClusterSecurity.of(
        new SecurityConfig(
            required,
            Optional.of(Path.of(files.get(SecurityConfig.AUTHORITY_FILE.name()))),
            Optional.of(Path.of(files.get(SecurityConfig.IDENTITY_FILE.name()))),
            users,
            3_600_000,
            false,
            tls),
        role,
        clock,
        random,
        System::nanoTime);
  }
}
