package io.sluice.common.tls;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * Creates self-signed certificates with the runtime's keytool, for clusters of tests and
 * benchmarks.
 */
public final class SelfSignedCertificate {
  private static final String PASSWORD_VARIABLE = "SLUICE_KEYTOOL_PASSWORD";
  private static final int TIMEOUT_SECONDS = 60;
  private static final int VALID_DAYS = 2;

  private SelfSignedCertificate() {}

  /**
   * Writes the PEM files {@code NAME.crt} and {@code NAME.key}; existing files are replaced.
   *
   * @param directory directory without access for other users
   * @param name file name and common name
   * @param host host of the certificate in keytool's syntax: {@code ip:127.0.0.1}
   * @throws IOException with a one-line message
   */
  public static void write(Path directory, String name, String host)
      throws IOException, InterruptedException {
    write(directory, name, host, "EC", "secp256r1");
  }

  /** Writes the certificate and key of a user: {@code USER.crt} and {@code USER.key}. */
  public static void writeOfUser(Path directory, String user)
      throws IOException, InterruptedException {
    write(directory, user, "CN=" + user + ",OU=sluice-user", "dns:" + user, "EC", "secp256r1");
  }

  /**
   * As {@link #write(Path, String, String)}, with a key of another algorithm.
   *
   * @param group elliptic curve; null: keytool's default for the algorithm
   */
  static void write(Path directory, String name, String host, String algorithm, String group)
      throws IOException, InterruptedException {
    write(directory, name, "CN=" + name, host, algorithm, group);
  }

  private static void write(
      Path directory, String name, String subject, String host, String algorithm, String group)
      throws IOException, InterruptedException {
    Path store = directory.resolve(name + ".p12");
    Files.deleteIfExists(store);
    String password = UUID.randomUUID().toString();
    try {
      List<String> options = new ArrayList<>(List.of("-keyalg", algorithm));
      if (group != null) {
        options.addAll(List.of("-groupname", group));
      }
      generate(directory.resolve(name + ".log"), store, name, subject, host, options, password);
      KeyStore keys = KeyStore.getInstance("PKCS12");
      try (InputStream in = Files.newInputStream(store)) {
        keys.load(in, password.toCharArray());
      }
      PemFiles.writeSecret(
          directory.resolve(name + ".crt"),
          PemFiles.text("CERTIFICATE", keys.getCertificate(name).getEncoded()));
      PemFiles.writeSecret(
          directory.resolve(name + ".key"),
          PemFiles.text("PRIVATE KEY", keys.getKey(name, password.toCharArray()).getEncoded()));
    } catch (GeneralSecurityException e) {
      throw new IOException("cannot read the key that keytool created: " + e.getMessage(), e);
    } finally {
      Files.deleteIfExists(store);
    }
  }

  private static void generate(
      Path log,
      Path store,
      String name,
      String subject,
      String host,
      List<String> options,
      String password)
      throws IOException, InterruptedException {
    ProcessBuilder command =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
            // A short process: compilation with C2 would take longer than the run.
            "-J-XX:TieredStopAtLevel=1",
            "-J-XX:+UseSerialGC",
            "-genkeypair",
            "-alias",
            name,
            "-dname",
            subject,
            "-ext",
            "san=" + host,
            "-validity",
            Integer.toString(VALID_DAYS),
            "-storetype",
            "PKCS12",
            "-keystore",
            store.toString(),
            // Arguments are visible in the process list, the environment is not.
            "-storepass:env",
            PASSWORD_VARIABLE);
    command.command().addAll(options);
    command.environment().put(PASSWORD_VARIABLE, password);
    Process keytool = command.redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try {
      if (!keytool.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        throw new IOException("keytool did not finish within " + TIMEOUT_SECONDS + " s");
      }
      if (keytool.exitValue() != 0) {
        throw new IOException(
            "keytool failed to create a certificate: " + Files.readString(log).strip());
      }
    } finally {
      keytool.destroyForcibly();
    }
  }
}
