package io.sluice.common.tls;

import io.sluice.common.tls.TlsConfig.ClientCertificates;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** Client TLS for tests, with files of {@link TestCertificates}. */
public final class TestTls {
  private TestTls() {}

  /**
   * @param directory directory of the files
   * @param trusted name of the trusted certificate
   * @param own name of the client's certificate, if any
   */
  public static TlsContexts caller(Path directory, String trusted, Optional<String> own)
      throws IOException {
    TlsConfig config =
        new TlsConfig(
            true,
            own.map(name -> directory.resolve(name + ".crt")),
            own.map(name -> directory.resolve(name + ".key")),
            Optional.of(directory.resolve(trusted + ".crt")),
            ClientCertificates.NONE,
            Optional.empty());
    return TlsContexts.of(config, false, System::nanoTime).orElseThrow();
  }
}
