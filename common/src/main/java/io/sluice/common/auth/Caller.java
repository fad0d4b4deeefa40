package io.sluice.common.auth;

import com.google.protobuf.ByteString;
import io.grpc.Context;
import io.sluice.common.error.PeerText;
import java.util.Optional;

/**
 * The authenticated caller of a control call. Immutable.
 *
 * @param name name of the user, of the application's user, or in the certificate of a process
 * @param role role of a USER
 * @param application name of an APPLICATION; else empty
 */
public record Caller(Kind kind, String name, Role role, String application, ProvedBy provedBy) {
  /** A caller without a proof. */
  public static final Caller ANONYMOUS =
      new Caller(Kind.ANONYMOUS, "", Role.USER, "", ProvedBy.NOTHING);

  static final Context.Key<Caller> CONTEXT = Context.keyWithDefault("sluice-caller", ANONYMOUS);

  /** Type of caller. */
  public enum Kind {
    ANONYMOUS,
    USER,
    APPLICATION,
    /** A coordinator of the cluster. */
    COORDINATOR,
    /** A server of the cluster. */
    SERVER
  }

  /** Means of authentication: a key, which is never printed, a signature, or a certificate. */
  public static final class ProvedBy {
    static final ProvedBy NOTHING = new ProvedBy(null, null, null, null);

    /** The certificate of the connection. */
    static final ProvedBy CERTIFICATE = new ProvedBy(null, null, null, null);

    /** A signature with the key of an application's token. */
    static final ProvedBy SIGNATURE = new ProvedBy(null, null, null, null);

    private final byte[] key;
    private final ByteString nonce;
    private final byte[] exchangeKey;
    private final ProcessCertificate certificate;

    private ProvedBy(
        byte[] key, ByteString nonce, byte[] exchangeKey, ProcessCertificate certificate) {
      this.key = key;
      this.nonce = nonce;
      this.exchangeKey = exchangeKey;
      this.certificate = certificate;
    }

    /** A signature with the key of a process. */
    static ProvedBy process(ProcessCertificate certificate) {
      return new ProvedBy(null, null, null, certificate);
    }

    /**
     * A user's secret, in one call.
     *
     * @param key proves the reply
     * @param nonce the caller's nonce of the call, which identifies the exchange to the caller
     * @param exchangeKey protects what the reply grants; only caller and this process know it
     */
    static ProvedBy exchange(byte[] key, ByteString nonce, byte[] exchangeKey) {
      return new ProvedBy(key, nonce, exchangeKey, null);
    }

    /** Key that proves the reply to the call. */
    Optional<byte[]> key() {
      return Optional.ofNullable(key);
    }

    ByteString nonce() {
      return nonce;
    }

    Optional<byte[]> exchangeKey() {
      return Optional.ofNullable(exchangeKey);
    }

    /** Certificate of a process of the cluster. */
    Optional<ProcessCertificate> certificate() {
      return Optional.ofNullable(certificate);
    }

    @Override
    public String toString() {
      return key == null ? "no key" : "a key";
    }
  }

  /** A process of the cluster with a verified certificate. */
  static Caller process(ProcessCertificate certificate) {
    return new Caller(
        certificate.role() == ProcessRole.COORDINATOR ? Kind.COORDINATOR : Kind.SERVER,
        certificate.name(),
        Role.USER,
        "",
        ProvedBy.process(certificate));
  }

  /** Caller of the call that the current thread handles. */
  public static Caller current() {
    return CONTEXT.get();
  }

  public boolean isAdmin() {
    return kind == Kind.USER && role == Role.ADMIN;
  }

  /**
   * Whether this caller owns an application. The names of a user's applications begin with the
   * user's name and a tilde, so that every coordinator can derive the owner from the name.
   */
  public boolean owns(String someApplication) {
    return switch (kind) {
      case ANONYMOUS, SERVER -> false;
      case USER ->
          role == Role.ADMIN
              || (role == Role.USER && someApplication.startsWith(UserNames.prefix(name)));
      case APPLICATION -> application.equals(someApplication);
      case COORDINATOR -> true;
    };
  }

  /** Whether this caller is a process of the cluster whose certificate is valid for a host. */
  public boolean isAt(String host) {
    return provedBy.certificate().filter(certificate -> certificate.covers(host)).isPresent();
  }

  /** For messages. */
  public String text() {
    return switch (kind) {
      case ANONYMOUS -> "anonymous caller";
      case USER -> "user " + name;
      case APPLICATION -> "application " + PeerText.quoted(application);
      case COORDINATOR -> "coordinator " + PeerText.quoted(name);
      case SERVER -> "server " + PeerText.quoted(name);
    };
  }
}
