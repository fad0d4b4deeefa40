package io.sluice.common.tls;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.concurrent.TimeUnit;

/** Certificates that sign themselves, made with the JDK's keytool. */
public final class TestCertificates {
  private static final char[] PASSWORD = "changeit".toCharArray();
  private static final int PATIENCE_SECONDS = 60;

  private TestCertificates() {}

  /**
   * Writes {@code NAME.crt} and {@code NAME.key}.
   *
   * @param host that the certificate is for
   */
  public static void write(Path directory, String name, String host) throws Exception {
    Path store = directory.resolve(name + ".p12");
    Files.deleteIfExists(store);
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                name,
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-dname",
                "CN=" + name,
                "-ext",
                "san=" + host,
                "-validity",
                "2",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                new String(PASSWORD))
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve(name + ".log").toFile())
            .start();
    if (!keytool.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) || keytool.exitValue() != 0) {
      keytool.destroyForcibly();
      throw new IllegalStateException(Files.readString(directory.resolve(name + ".log")));
    }
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD);
    }
    replace(directory.resolve(name + ".crt"), "CERTIFICATE", keys.getCertificate(name).getEncoded());
    replace(
        directory.resolve(name + ".key"), "PRIVATE KEY", keys.getKey(name, PASSWORD).getEncoded());
  }

  private static void replace(Path file, String what, byte[] bytes) throws Exception {
    Path partial = file.resolveSibling(file.getFileName() + ".partial");
    Files.writeString(
        partial,
        "-----BEGIN "
            + what
            + "-----\n"
            + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes)
            + "\n-----END "
            + what
            + "-----\n");
    Files.move(partial, file, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
  }
}
