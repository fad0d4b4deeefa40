package io.sluice.cli.secure;

import io.sluice.cli.control.CommandFailure;
import io.sluice.cli.control.ExitCode;
import io.sluice.common.auth.Identity;
import io.sluice.common.auth.ProcessCertificate;
import io.sluice.common.auth.ProcessRole;
import io.sluice.common.file.WatchedFile;
import io.sluice.common.tls.CertificateAuthority;
import io.sluice.common.tls.CertificateAuthority.Validity;
import io.sluice.common.tls.PemFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/**
 * The operator's directory: the authority with its private key, identities of processes, users with
 * their secrets. Every file is replaced at once. Used by one thread of one process.
 *
 * <table>
 * <caption>Files</caption>
 * <tr><td>authority.pem<td>certificates of the authority: for every host and every job
 * <tr><td>authority-key.pem<td>private key and certificate of the authority: stays here
 * <tr><td>coordinators/HOST.pem, servers/HOST.pem<td>identity of one process: only for its host
 * <tr><td>users<td>all users with verifiers of their secrets: for coordinators
 * <tr><td>admins<td>the same of the admins: for servers, which admins call directly
 * <tr><td>user-NAME<td>secret of a user: for this user only
 * </table>
 */
final class SecureDirectory {
  static final String AUTHORITY = "authority.pem";
  static final String AUTHORITY_KEY = "authority-key.pem";

  /** Authority that signs from the next step of a rotation on. */
  static final String NEXT_KEY = "authority-next-key.pem";

  private static final String SUFFIX = ".pem";

  private final Path root;
  private final SecureSources sources;
  private final List<Path> written = new ArrayList<>();

  private SecureDirectory(Path root, SecureSources sources) {
    this.root = root;
    this.sources = sources;
  }

  /** Opens a directory in which files are created. */
  static SecureDirectory fresh(Path root, SecureSources sources) {
    return new SecureDirectory(root, sources);
  }

  /**
   * Opens the result of {@code secure init}.
   *
   * @throws CommandFailure if there is none
   */
  static SecureDirectory open(Path root, SecureSources sources) throws IOException {
    if (!Files.exists(root.resolve(AUTHORITY))) {
      throw new CommandFailure(
          ExitCode.NOT_FOUND,
          root.resolve(AUTHORITY)
              + ": no such file; create the directory with `sluice secure init "
              + root
              + "`");
    }
    return new SecureDirectory(root, sources);
  }

  Path root() {
    return root;
  }

  SecureSources sources() {
    return sources;
  }

  Path file(String name) {
    return root.resolve(name);
  }

  boolean has(String name) {
    return Files.exists(file(name));
  }

  /** Files that were written through this object, in order and relative to the directory. */
  List<Path> written() {
    return written.stream().map(root::relativize).distinct().toList();
  }

  /** Replaces a file that only its owner can read. */
  void write(String name, String text) throws IOException {
    Path file = file(name);
    Files.createDirectories(file.getParent());
    PemFiles.writeSecret(file, text);
    written.add(file);
  }

  /** Replaces a file that every user of the host may read. */
  void writePublic(String name, String text) throws IOException {
    write(name, text);
    Files.setPosixFilePermissions(file(name), PosixFilePermissions.fromString("rw-r--r--"));
  }

  /**
   * Text of a file.
   *
   * @throws CommandFailure if there is none
   */
  String read(String name) throws IOException {
    try {
      return WatchedFile.readText(file(name));
    } catch (NoSuchFileException e) {
      throw new CommandFailure(ExitCode.NOT_FOUND, file(name) + ": no such file", e);
    }
  }

  /** A new authority. Its name is unique, so that verifiers find it by the name. */
  CertificateAuthority createAuthority() {
    byte[] id = new byte[4];
    sources.random().nextBytes(id);
    return CertificateAuthority.create(
        "sluice authority " + HexFormat.of().formatHex(id),
        Validity.of(sources.clock(), ValidityOption.OF_AUTHORITY),
        sources.random());
  }

  /** The authority that signs identities now. */
  CertificateAuthority authority() throws IOException {
    if (!has(AUTHORITY_KEY)) {
      throw new CommandFailure(
          ExitCode.NOT_FOUND,
          file(AUTHORITY_KEY)
              + ": no such file; copy the private key of the authority back from where you keep it");
    }
    return authority(AUTHORITY_KEY);
  }

  /** The authority whose key is in a file of the directory. */
  CertificateAuthority authority(String name) throws IOException {
    try {
      return CertificateAuthority.parse(read(name), sources.random());
    } catch (IllegalArgumentException e) {
      throw new CommandFailure(ExitCode.FAILED, file(name) + ": " + e.getMessage(), e);
    }
  }

  /** Certificates of the authorities that processes trust. */
  List<X509Certificate> trusted() throws IOException {
    try {
      return PemFiles.certificates(read(AUTHORITY));
    } catch (IllegalArgumentException e) {
      throw new CommandFailure(ExitCode.FAILED, file(AUTHORITY) + ": " + e.getMessage(), e);
    }
  }

  /** The certificate of an identity. */
  ProcessCertificate certificate(ProcessRole role, String host) throws IOException {
    String name = identity(role, host);
    try {
      return Identity.parse(read(name)).certificate();
    } catch (IllegalArgumentException e) {
      throw new CommandFailure(ExitCode.FAILED, file(name) + ": " + e.getMessage(), e);
    }
  }

  /** Name of the directory with the identities of a role. */
  static String plural(ProcessRole role) {
    return role.text() + "s";
  }

  /** Name of the file with an identity. */
  static String identity(ProcessRole kind, String host) {
    return plural(kind) + "/" + host + SUFFIX;
  }

  /** Hosts of the identities of a kind, sorted. */
  List<String> hosts(ProcessRole kind) throws IOException {
    Path directory = file(plural(kind));
    if (!Files.isDirectory(directory)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(SUFFIX))
          .map(name -> name.substring(0, name.length() - SUFFIX.length()))
          .sorted()
          .toList();
    }
  }

  /** Creates or replaces an identity. */
  void issue(
      CertificateAuthority authority, ProcessRole kind, ProcessHosts hosts, Validity validity)
      throws IOException {
    String pem;
    try {
      pem = Identity.create(authority, kind, hosts.label(), hosts.all(), validity);
    } catch (IllegalArgumentException e) {
      throw new CommandFailure(ExitCode.WRONG_USAGE, e.getMessage(), e);
    }
    write(identity(kind, hosts.first()), pem);
  }
}
