package io.sluice.it.hostile;

import io.sluice.common.auth.TestUsers;
import io.sluice.common.auth.UserNames;

/** Users of an attacked cluster. */
enum Identity {
  /** Runs the honest job. */
  ALICE("alice", "user", "0123456789abcdef0123456789abcdef"),
  /** Attacks, with a secret of her own. */
  MALLORY("mallory", "user", "fedcba9876543210fedcba9876543210");

  private final String user;
  private final String role;
  private final String secret;

  Identity(String user, String role, String secret) {
    this.user = user;
    this.role = role;
    this.secret = secret;
  }

  String user() {
    return user;
  }

  String secret() {
    return secret;
  }

  /** Name of an application of the user. */
  String application(String name) {
    return UserNames.application(user, name);
  }

  /** Line of {@code rss.security.users.file}. */
  static String usersFile() {
    StringBuilder lines = new StringBuilder();
    for (Identity identity : values()) {
      lines.append(TestUsers.line(identity.user, identity.role, identity.secret));
    }
    return lines.toString();
  }
}
