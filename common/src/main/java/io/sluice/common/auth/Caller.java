package io.sluice.common.auth;

import io.grpc.Context;
import io.sluice.common.error.PeerText;
import java.util.Optional;

/**
 * Who makes a control call, as proved. Immutable.
 *
 * @param name of the user, the application's user, or the cluster key
 * @param role of a USER
 * @param application of an APPLICATION; else empty
 */
public record Caller(Kind kind, String name, Role role, String application, ProvedBy provedBy) {
  /** Who proved nothing. */
  public static final Caller NOBODY = new Caller(Kind.NOBODY, "", Role.USER, "", ProvedBy.NOTHING);

  static final Context.Key<Caller> CONTEXT = Context.keyWithDefault("sluice-caller", NOBODY);

  /** What sort of caller it is. */
  public enum Kind {
    NOBODY,
    USER,
    APPLICATION,
    /** A process that knows the cluster's secret. */
    CLUSTER
  }

  /** What proved it: a key, which is never printed, or the certificate of the connection. */
  public static final class ProvedBy {
    static final ProvedBy NOTHING = new ProvedBy(null);
    static final ProvedBy CERTIFICATE = new ProvedBy(null);

    private final byte[] key;

    ProvedBy(byte[] key) {
      this.key = key;
    }

    Optional<byte[]> key() {
      return Optional.ofNullable(key);
    }

    @Override
    public String toString() {
      return key == null ? "no key" : "a key";
    }
  }

  /** Of the call that the current thread handles. */
  public static Caller current() {
    return CONTEXT.get();
  }

  public boolean isAdmin() {
    return kind == Kind.USER && role == Role.ADMIN;
  }

  /**
   * Whether an application is this caller's own: a user's applications begin with the user's name
   * and a dot, so that every coordinator sees by itself whose an application is.
   */
  public boolean owns(String someApplication) {
    return switch (kind) {
      case NOBODY -> false;
      case USER ->
          role == Role.ADMIN || (role == Role.USER && someApplication.startsWith(name + "."));
      case APPLICATION -> application.equals(someApplication);
      case CLUSTER -> true;
    };
  }

  /** For messages. */
  public String text() {
    return switch (kind) {
      case NOBODY -> "nobody";
      case USER -> "user " + name;
      case APPLICATION -> "application " + PeerText.quoted(application);
      case CLUSTER -> "cluster key " + name;
    };
  }
}
