package io.sluice.cli.secure;

import io.sluice.cli.control.CommandFailure;
import io.sluice.cli.control.ExitCode;
import io.sluice.common.auth.Role;
import io.sluice.common.auth.ScramVerifier;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Users of a {@link SecureDirectory}: verifiers in two files, and the secret of each user. */
final class SecretUsers {
  /** All users, for coordinators. */
  static final String USERS = "users";

  /** Admins only, for servers: a server must not know verifiers of users who run jobs. */
  static final String ADMINS = "admins";

  /** Verifier of a user with a certificate only. */
  private static final String CERTIFICATE = "-";

  private static final int SECRET_BYTES = 32;

  private final SecureDirectory directory;

  /** A line of the file. */
  record Entry(String name, Role role, String verifier) {
    String line() {
      return name + " " + role.name().toLowerCase(Locale.ROOT) + " " + verifier + "\n";
    }
  }

  SecretUsers(SecureDirectory directory) {
    this.directory = directory;
  }

  /** Name of the file with the secret of a user. */
  static String secretFile(String user) {
    return "user-" + user;
  }

  /** Name of the file with the same secret, for {@code mapreduce.job.credentials.json}. */
  static String credentialsFile(String user) {
    return secretFile(user) + ".json";
  }

  List<Entry> read() throws IOException {
    List<Entry> found = new ArrayList<>();
    int number = 0;
    for (String line : directory.read(USERS).split("\n", -1)) {
      number++;
      if (line.isBlank() || line.strip().startsWith("#")) {
        continue;
      }
      String[] fields = line.strip().split("\\s+");
      try {
        found.add(
            new Entry(fields[0], Role.valueOf(fields[1].toUpperCase(Locale.ROOT)), fields[2]));
      } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
        throw new CommandFailure(
            ExitCode.FAILED,
            directory.file(USERS) + ": line " + number + ": expected NAME ROLE VERIFIER",
            e);
      }
    }
    return found;
  }

  /**
   * Adds a user with a new secret.
   *
   * @throws CommandFailure if the name is taken
   */
  void add(String name, Role role) throws IOException {
    List<Entry> all = directory.has(USERS) ? read() : new ArrayList<>();
    if (all.stream().anyMatch(entry -> entry.name().equals(name))) {
      throw new CommandFailure(
          ExitCode.FAILED, directory.file(USERS) + ": user " + name + " exists already");
    }
    String secretFile = secretFile(name);
    if (directory.has(secretFile)) {
      throw new CommandFailure(
          ExitCode.FAILED,
          directory.file(secretFile) + " exists already; remove it if the user is new");
    }
    String secret = secret();
    writeSecret(name, role, secret);
    all.add(new Entry(name, role, verifier(secret)));
    write(all);
  }

  /** Whether a user has two secrets. */
  boolean isRotating() throws IOException {
    List<Entry> all = read();
    return all.stream().map(Entry::name).distinct().count() < all.size();
  }

  /** Adds a second secret to every user; both are accepted. */
  void addNewSecrets() throws IOException {
    List<Entry> all = new ArrayList<>();
    for (Entry before : read()) {
      all.add(before);
      if (before.verifier().equals(CERTIFICATE)) {
        continue;
      }
      String secret = secret();
      String verifier = ScramVerifier.parse(before.verifier()).ofSecret(secret).text();
      all.add(new Entry(before.name(), before.role(), verifier));
      writeSecret(before.name(), before.role(), secret);
    }
    write(all);
  }

  /** Keeps only the last secret of every user. */
  void dropOldSecrets() throws IOException {
    Map<String, Entry> last = new LinkedHashMap<>();
    read().forEach(entry -> last.put(entry.name(), entry));
    write(List.copyOf(last.values()));
  }

  private void writeSecret(String name, Role role, String secret) throws IOException {
    directory.write(secretFile(name), secret + "\n");
    if (role == Role.USER) {
      directory.write(credentialsFile(name), "{\"sluice.user.secret\": \"" + secret + "\"}\n");
    }
  }

  private void write(List<Entry> all) throws IOException {
    directory.write(USERS, text(all));
    directory.write(
        ADMINS, text(all.stream().filter(entry -> entry.role() == Role.ADMIN).toList()));
  }

  private static String text(List<Entry> entries) {
    StringBuilder text = new StringBuilder("# NAME ROLE VERIFIER; no line has a secret.\n");
    entries.forEach(entry -> text.append(entry.line()));
    return text.toString();
  }

  private String secret() {
    byte[] bytes = new byte[SECRET_BYTES];
    directory.sources().random().nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  private String verifier(String secret) {
    return ScramVerifier.of(secret, directory.sources().random()).text();
  }
}
