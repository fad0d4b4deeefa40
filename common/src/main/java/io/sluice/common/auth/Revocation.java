package io.sluice.common.auth;

import java.util.Optional;

/**
 * Refusal of all tokens of a user or of an application that were issued until a point in time.
 * Times are milliseconds since 1970.
 *
 * @param revokedAtMs tokens issued at this time or earlier are refused
 * @param expiryMs time from which on every refused token has expired by itself
 */
public record Revocation(Subject subject, long revokedAtMs, long expiryMs) {
  /** The owner of tokens. */
  public record Subject(Kind kind, String name) {
    /** For messages: {@code user etl}. */
    public String text() {
      return kind.text + " " + name;
    }
  }

  /** Type of owner. */
  public enum Kind {
    USER("user"),
    APPLICATION("application");

    private final String text;

    Kind(String text) {
      this.text = text;
    }

    public String text() {
      return text;
    }
  }

  public static Revocation ofUser(String user, long revokedAtMs, long expiryMs) {
    return new Revocation(new Subject(Kind.USER, user), revokedAtMs, expiryMs);
  }

  public static Revocation ofApplication(String application, long revokedAtMs, long expiryMs) {
    return new Revocation(new Subject(Kind.APPLICATION, application), revokedAtMs, expiryMs);
  }

  /** The form in which coordinators pass it to servers. */
  public io.sluice.proto.Revocation toMessage() {
    return io.sluice.proto.Revocation.newBuilder()
        .setSubject(
            switch (subject.kind) {
              case USER -> io.sluice.proto.Revocation.Subject.USER;
              case APPLICATION -> io.sluice.proto.Revocation.Subject.APPLICATION;
            })
        .setName(subject.name)
        .setRevokedAtMs(revokedAtMs)
        .setExpiryMs(expiryMs)
        .build();
  }

  /** Decodes a message; empty if its subject is not known to this version. */
  public static Optional<Revocation> of(io.sluice.proto.Revocation message) {
    return switch (message.getSubject()) {
      case USER ->
          Optional.of(ofUser(message.getName(), message.getRevokedAtMs(), message.getExpiryMs()));
      case APPLICATION ->
          Optional.of(
              ofApplication(message.getName(), message.getRevokedAtMs(), message.getExpiryMs()));
      case SUBJECT_UNSPECIFIED, UNRECOGNIZED -> Optional.empty();
    };
  }
}
